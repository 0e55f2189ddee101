"""What learners allow, on either database."""

from __future__ import annotations

from sqlalchemy import delete, insert, select

from preceptor.stores.consents import Consent
from preceptor.stores.instants import instant_from, instant_text
from preceptor.stores.sql.consent_tables import CONSENT
from preceptor.stores.sql.database import Database


class SqlConsentStore:
    """`ConsentStore` on SQLite and PostgreSQL."""

    def __init__(self, database: Database) -> None:
        """Keep the database; nothing is read yet."""
        self._database = database

    def get(self, learner_id: str) -> Consent | None:
        """See `ConsentStore.get`."""
        with self._database.read() as connection:
            row = connection.execute(select(CONSENT).where(CONSENT.c.learner_id == learner_id)).first()
        if row is None:
            return None
        return Consent(
            learner_id=row.learner_id,
            use_for_teaching=bool(row.use_for_teaching),
            decided_at=instant_from(row.decided_at),
        )

    def put(self, consent: Consent) -> None:
        """See `ConsentStore.put`."""
        row = {
            "learner_id": consent.learner_id,
            "use_for_teaching": int(consent.use_for_teaching),
            "decided_at": instant_text(consent.decided_at),
        }
        with self._database.write() as connection:
            connection.execute(delete(CONSENT).where(CONSENT.c.learner_id == consent.learner_id))
            connection.execute(insert(CONSENT).values(**row))

    def learners(self) -> list[str]:
        """See `ConsentStore.learners`."""
        chosen = select(CONSENT.c.learner_id).where(CONSENT.c.use_for_teaching == 1)
        with self._database.read() as connection:
            return sorted(connection.execute(chosen).scalars())

    def forget(self, learner_id: str) -> None:
        """See `ConsentStore.forget`."""
        with self._database.write() as connection:
            connection.execute(delete(CONSENT).where(CONSENT.c.learner_id == learner_id))
