"""A course's stored files as the concept reader takes them."""

from __future__ import annotations

from collections.abc import Iterator

from preceptor.concepts.reader import Material, MaterialPage
from preceptor.stores.courses import CourseStore


def course_materials(courses: CourseStore, subject_id: str, language: str) -> Iterator[Material]:
    """Yield a course's documents with their pages, by name.

    Raises:
        NotFoundError: The course lost a page while it was read.
    """
    for document in courses.documents(subject_id):
        pages = []
        for number in range(1, document.n_pages + 1):
            page = courses.page(subject_id, document.document_id, number)
            pages.append(
                MaterialPage(
                    page=page.page,
                    text=page.text,
                    headings=tuple(heading.text for heading in page.headings),
                    fingerprint=page.fingerprint,
                )
            )
        yield Material(
            subject_id=subject_id,
            document_id=document.document_id,
            pages=tuple(pages),
            language=language,
            fingerprint=document.fingerprint,
        )
