"""What personal data looks like: one row per form, with the check digits where the form has them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

_STREETS = (
    r"(?:Street|St\.|St\b|Avenue|Ave\.?|Road|Rd\.?|Lane|Ln\.?|Drive|Dr\.|Boulevard|Blvd\.?|Court|Ct\.?|Terrace|"
    r"Crescent|Close|Way|Place|Pl\.|Square)"
)
_UNIT = r"(?!\s*(?:[=+*/×÷%<>^]|-\s*\d|\d))"
"""What follows a number that is part of a calculation."""


@dataclass(frozen=True, kw_only=True)
class PersonalKind:
    """One form of personal data."""

    label: str
    pattern: re.Pattern[str]
    valid: Callable[[str], bool] = lambda text: True
    group: int = 0
    """The group that is replaced; what surrounds it only shows what it is."""


def _digits(text: str) -> str:
    return "".join(char for char in text if char.isdigit())


def _luhn(text: str) -> bool:
    """Return whether a card number's check digit fits (ISO/IEC 7812)."""
    digits = [int(char) for char in _digits(text)]
    if not 13 <= len(digits) <= 19 or len(set(digits)) == 1:
        return False
    doubled = [digit * 2 - 9 * (digit > 4) if place % 2 else digit for place, digit in enumerate(reversed(digits))]
    return sum(doubled) % 10 == 0


def _iban(text: str) -> bool:
    """Return whether an IBAN's check digits fit (ISO 13616: remainder 1 by 97)."""
    plain = re.sub(r"\s", "", text).upper()
    if not 15 <= len(plain) <= 34:
        return False
    moved = plain[4:] + plain[:4]
    return int("".join(str(int(char, 36)) for char in moved)) % 97 == 1


def _phone(text: str) -> bool:
    return 7 <= len(_digits(text)) <= 15


def _not_round(text: str) -> bool:
    """Return whether a dashed number is no subtraction of round numbers ("500-200-1000")."""
    return not all(group.endswith("00") for group in re.split(r"[.-]", text))


PERSONAL_KINDS = (
    PersonalKind(label="EMAIL", pattern=re.compile(r"[\w.+%-]+@[\w-]+(?:\.[\w-]+)+")),
    PersonalKind(label="URL", pattern=re.compile(r"(?:https?://|www\.)[^\s/<>\"']+[/?#][^\s<>\"')\]]+", re.IGNORECASE)),
    PersonalKind(
        label="ACCOUNT", pattern=re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?\b"), valid=_iban
    ),
    PersonalKind(
        label="ACCOUNT", pattern=re.compile(r"(?<![\d.,])\d{4}(?:[ -]?\d{4}){2}[ -]?\d{1,7}(?![\d.,]\d)"), valid=_luhn
    ),
    PersonalKind(label="ACCOUNT", pattern=re.compile(r"(?<![\d.,])\d{13,19}(?![\d.,]\d)"), valid=_luhn),
    PersonalKind(label="ACCOUNT", pattern=re.compile(r"(?<![\d-])\d{3}-\d{2}-\d{4}(?![\d-])" + _UNIT)),
    PersonalKind(
        label="ACCOUNT",
        pattern=re.compile(
            r"(?:\baccount|\bacct|\bcard|\bpassport|\bssn|\bstudent id|\bid|\biban|\bkonto|\bcuenta|\bcompte|"
            r"账号|卡号|身份证|رقم الحساب)(?:\s*(?:number|no\.?|nr\.?|nummer|num|de|is|号|号码|是|#|:|：))+\s*[:#]?\s*"
            r"([A-Z]{0,2}\d(?:[\d -]{4,22})[\dXx])(?!\s*[=+*/×÷])",
            re.IGNORECASE,
        ),
        group=1,
    ),
    PersonalKind(
        label="PHONE",
        pattern=re.compile(
            r"(?<![\w.,/*×÷=+-])(?:\+|00)[1-9]\d{0,2}(?:[ .-]?\(?\d{1,4}\)?){2,6}(?![\d,]|\.\d)" + _UNIT
        ),
        valid=lambda text: 9 <= len(_digits(text)) <= 15,
    ),
    PersonalKind(
        label="PHONE", pattern=re.compile(r"(?<![\w.,/*×÷=+-])\(\d{3}\) ?\d{3}[ .-]\d{4}(?![\d,]|\.\d)" + _UNIT)
    ),
    PersonalKind(
        label="PHONE",
        pattern=re.compile(r"(?<![\w.,/*×÷=+-])[2-9]\d{2}([.-])[2-9]\d{2}\1\d{4}(?![\d,]|\.\d)" + _UNIT),
        valid=_not_round,
    ),
    PersonalKind(
        label="PHONE", pattern=re.compile(r"(?<![\w.,/*×÷=+-])0\d{2,4}[ /-]\d{3,4}[ -]?\d{3,5}(?![\d,]|\.\d)" + _UNIT)
    ),
    PersonalKind(label="PHONE", pattern=re.compile(r"(?<![\w.,/*×÷=+-])0[1-9](?:[ .]\d{2}){4}(?![\d,]|\.\d)" + _UNIT)),
    PersonalKind(label="PHONE", pattern=re.compile(r"(?<![\d.,/*×÷=+-])1[3-9]\d{9}(?![\d,]|\.\d)" + _UNIT)),
    PersonalKind(
        label="PHONE",
        pattern=re.compile(
            r"(?:\b(?:phone|cell|mobile|tel|telephone|whatsapp|telefon|handy|handynummer|telefonnummer|telefono|teléfono|movil|"
            r"móvil|celular|téléphone|portable|numéro)\b|\b(?:call|text|reach|ring) (?:me|us|him|her|my \w+)\b|"
            r"\bmy number\b|\bmi número\b|\bmon numéro\b|\bmeine nummer\b|电话|手机|微信|هاتفي|رقم هاتفي|رقمي|جوالي)"
            r"(?:\s*(?:number|no\.?|nr\.?|is|es|est|ist|at|on|are|号码|号|是|هو|:|：|#|=))*\s*"
            r"((?:\+|00)?\(?\d[\d ().-]{5,16}\d)(?!\s*[+*/×÷=]|[\d,])",
            re.IGNORECASE,
        ),
        group=1,
        valid=_phone,
    ),
    PersonalKind(
        label="ADDRESS",
        pattern=re.compile(
            rf"(?<![\d.,/$€£-])\b\d{{1,5}}[A-Za-z]?,? (?:(?:[NSEW]|North|South|East|West)\.? )?"
            rf"(?:[A-Z][\w'’]+ |\d+(?:st|nd|rd|th) )"
            rf"{{1,3}}{_STREETS}(?:,? (?:Apt|Apartment|Unit|Flat|Suite|#)\.? ?\w+)?(?:,? [A-Z][a-z]+(?: [A-Z][a-z]+)?)?"
            rf"(?:,? [A-Z]{{2}} \d{{5}}(?:-\d{{4}})?| [A-Z]{{1,2}}\d[A-Z\d]? ?\d[A-Z]{{2}})?"
        ),
    ),
    PersonalKind(
        label="ADDRESS",
        pattern=re.compile(
            r"\b(?:[A-ZÄÖÜ][\wäöüß-]*(?:straße|strasse|str\.|weg|allee|gasse|platz|damm)|"
            r"[A-ZÄÖÜ][\wäöüß-]+ (?:Straße|Str\.|Weg|Allee|Platz))"
            r" \d{1,4}[a-z]?\b(?:,? \d{5} [A-ZÄÖÜ][\wäöüß]+)?"
        ),
    ),
    PersonalKind(
        label="ADDRESS",
        pattern=re.compile(
            r"\b\d{1,4}(?: ?(?:bis|ter))?,? (?:rue|avenue|boulevard|bd|impasse|allée|chemin|place|quai) "
            r"(?:de |du |des |de la |de l['’]|d['’])?"
            r"[A-ZÉÈÀ][\w'’éèêàç-]+(?: [A-ZÉÈÀ][\w'’éèêàç-]+)*(?:,? \d{5} [A-ZÉ][\w-]+)?"
        ),
    ),
    PersonalKind(
        label="ADDRESS",
        pattern=re.compile(
            r"\b(?:[Cc]alle|[Aa]venida|[Aa]vda\.|[Pp]aseo|[Cc]arrera|[Pp]laza) "
            r"(?:de (?:la |los |las )?|del )?[A-ZÁÉÍÓÚÑ][\wáéíóúñ]+"
            r"(?: [A-ZÁÉÍÓÚÑ][\wáéíóúñ]+)*,? (?:n[úu]m(?:ero|\.)? |n[º°] ?|# ?)?\d{1,4}\b"
        ),
    ),
    PersonalKind(
        label="ADDRESS",
        pattern=re.compile(r"[\u4e00-\u9fff]{2,8}(?:路|街|大道|巷|弄)\d{1,5}号(?:\d{1,4}(?:室|楼|单元|栋))*"),
    ),
    PersonalKind(
        label="ADDRESS",
        pattern=re.compile(r"(?:شارع|حي) [\u0621-\u064a]+(?: [\u0621-\u064a]+)?،? (?:رقم|بناية|منزل) ?[\d٠-٩]{1,4}"),
    ),
)
