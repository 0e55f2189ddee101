"""Units of school problems with exact factors: length, mass, volume, time, area, speed, money, angle and more.

A table, and a reader of unit phrases ("miles per hour", "km/h", "square feet", "cm^2", 平方米). It never sees
numbers. The volume units hang on the metre, so 1 L is 1000 cm^3; customary volumes are the US ones.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from preceptor.maths.numerals import normalise

Dimension = tuple[tuple[str, int], ...]
"""Base quantity and exponent, sorted: speed is (("length", 1), ("time", -1)). Empty: a pure number."""


@dataclass(frozen=True, kw_only=True)
class Unit:
    """One unit, or a product of units."""

    symbol: str
    """How it is written beside a number: "km/h", "cm^2", "min"."""
    factor: Fraction
    """How many base units it is: metre, gram, second, degree, one unit of its own currency, ampere, mole, kelvin."""
    dimension: Dimension


def _dimension(**powers: int) -> Dimension:
    return tuple(sorted((base, power) for base, power in powers.items() if power))


_LENGTH = _dimension(length=1)
_AREA = _dimension(length=2)
_VOLUME = _dimension(length=3)
_MASS = _dimension(mass=1)
_TIME = _dimension(time=1)
_SPEED = _dimension(length=1, time=-1)
_FORCE = _dimension(mass=1, length=1, time=-2)
_ENERGY = _dimension(mass=1, length=2, time=-2)
_POWER = _dimension(mass=1, length=2, time=-3)
_VOLTAGE = _dimension(mass=1, length=2, time=-3, current=-1)
_OHM = _dimension(mass=1, length=2, time=-3, current=-2)
_PRESSURE = _dimension(mass=1, length=-1, time=-2)
_INCH = Fraction(254, 10000)
_POUND = Fraction(45359237, 100000)
_GALLON = 231 * _INCH**3
_LITRE = Fraction(1, 1000)
_DAY = Fraction(86400)

_TABLE: tuple[tuple[str, Fraction | int, Dimension, str], ...] = (
    # symbol, factor, dimension, names (exact-case symbols first, then names in any case), parted by |
    ("mm", Fraction(1, 1000), _LENGTH, "mm|millimeter|millimetre|milímetro|millimètre|毫米|公厘|مليمتر|ملم"),
    (
        "cm",
        Fraction(1, 100),
        _LENGTH,
        "cm|Cm|CM|centimeter|centimetre|centímetro|centimètre|zentimeter|厘米|公分|سنتيمتر|سم",
    ),
    ("dm", Fraction(1, 10), _LENGTH, "dm|decimeter|decimetre|decímetro|décimètre|dezimeter|分米"),
    ("m", 1, _LENGTH, "m|meter|metre|metro|mètre|米|公尺|متر|أمتار"),
    ("km", 1000, _LENGTH, "km|Km|KM|kilometer|kilometre|kilómetro|kilomètre|千米|公里|كيلومتر|كيلومترات|كم"),
    ("in", _INCH, _LENGTH, "in|in.|inch|inches|pulgada|pouce|zoll|英寸|بوصة"),
    ("ft", 12 * _INCH, _LENGTH, "ft|ft.|foot|feet|Ft|FT|pied|fuß|英尺|قدم|أقدام"),
    ("yd", 36 * _INCH, _LENGTH, "yd|yd.|yds|yard|yarda|码"),
    ("mi", 63360 * _INCH, _LENGTH, "mi|mi.|mile|milla|meile|meilen|英里|ميل|أميال"),
    ("里", 500, _LENGTH, "里|华里"),
    ("mg", Fraction(1, 1000), _MASS, "mg|milligram|milligramme|miligramo|milligramm|毫克"),
    ("g", 1, _MASS, "g|gram|gramme|gramo|gramm|克|غرام|جرام|غم"),
    ("kg", 1000, _MASS, "kg|kgs|Kg|KG|kilo|kilogram|kilogramme|kilogramo|kilogramm|千克|公斤|كيلوغرام|كيلوجرام|كغ|كغم"),
    ("t", 10**6, _MASS, "t|tonne|tonelada|metric ton|吨|طن"),
    ("ton", 2000 * _POUND, _MASS, "ton|short ton"),
    ("lb", _POUND, _MASS, "lb|lb.|lbs|lbs.|Lb|Lbs|LBS|pound|libra|pfund|磅|رطل"),
    ("oz", _POUND / 16, _MASS, "oz|oz.|ounce|onza|unze|unzen|盎司|أونصة"),
    ("斤", 500, _MASS, "斤|市斤"),
    ("mL", _LITRE / 1000, _VOLUME, "mL|ml|ML|Ml|cc|milliliter|millilitre|mililitro|毫升|مليلتر|مل"),
    ("cL", _LITRE / 100, _VOLUME, "cL|cl|centiliter|centilitre|centilitro|zentiliter|厘升"),
    ("dL", _LITRE / 10, _VOLUME, "dL|dl|deciliter|decilitre|decilitro|deziliter"),
    ("L", _LITRE, _VOLUME, "L|l|liter|litre|litro|升|公升|لتر|لترات"),
    ("gal", _GALLON, _VOLUME, "gal|gal.|gallon|galón|galones|gallone|gallonen|加仑|غالون"),
    ("qt", _GALLON / 4, _VOLUME, "qt|qt.|quart|夸脱"),
    ("pt", _GALLON / 8, _VOLUME, "pt|pint|pinta|品脱"),
    ("cup", _GALLON / 16, _VOLUME, "cup|taza|tasse|tassen|杯|كوب|أكواب"),
    ("fl oz", _GALLON / 128, _VOLUME, "fl oz|fl. oz.|fluid ounce"),
    ("tbsp", _GALLON / 256, _VOLUME, "tbsp|tbsp.|tablespoon|汤匙"),
    ("tsp", _GALLON / 768, _VOLUME, "tsp|tsp.|teaspoon|茶匙"),
    ("ms", Fraction(1, 1000), _TIME, "ms|millisecond|毫秒"),
    ("s", 1, _TIME, "s|sec|sec.|secs|second|segundo|seconde|sekunde|sekunden|秒|秒钟|ثانية|ثوان"),
    ("min", 60, _TIME, "min|min.|mins|minute|minuto|minuten|分钟|分鐘|دقيقة|دقائق"),
    ("h", 3600, _TIME, "h|h.|hr|hr.|hrs|hrs.|hour|hora|heure|stunde|stunden|std|小时|小時|钟头|ساعة|ساعات"),
    ("d", _DAY, _TIME, "day|día|jour|tage|tagen|天|日|يوم|أيام"),
    ("wk", 7 * _DAY, _TIME, "wk|wks|week|semana|semaine|woche|wochen|周|星期|أسبوع|أسابيع"),
    ("month", 1, _dimension(months=1), "month|mes|meses|mois|monat|monate|monaten|月|个月|شهر|أشهر"),
    ("yr", 12, _dimension(months=1), "yr|yrs|year|año|ans|année|jahr|jahre|jahren|年|سنة|سنوات|عام"),
    ("mm^2", Fraction(1, 10**6), _AREA, "mm2|平方毫米"),
    ("cm^2", Fraction(1, 10**4), _AREA, "cm2|sq cm|平方厘米|سم مربع"),
    ("dm^2", Fraction(1, 100), _AREA, "dm2|平方分米"),
    ("m^2", 1, _AREA, "m2|sq m|平方米|متر مربع"),
    ("km^2", 10**6, _AREA, "km2|sq km|平方千米|平方公里"),
    ("ft^2", 144 * _INCH**2, _AREA, "ft2|sq ft|sq. ft.|sqft|平方英尺"),
    ("in^2", _INCH**2, _AREA, "in2|sq in|sq. in."),
    ("ha", 10**4, _AREA, "ha|hectare|hectárea|hektar|公顷"),
    ("公亩", 100, _AREA, "公亩"),
    ("acre", 43560 * 144 * _INCH**2, _AREA, "acre|英亩"),
    ("亩", Fraction(2000, 3), _AREA, "亩"),
    ("cm^3", Fraction(1, 10**6), _VOLUME, "cm3|cu cm|立方厘米"),
    ("dm^3", _LITRE, _VOLUME, "dm3|立方分米"),
    ("m^3", 1, _VOLUME, "m3|cu m|立方米|متر مكعب"),
    ("ft^3", 1728 * _INCH**3, _VOLUME, "ft3|cu ft|cu. ft."),
    ("in^3", _INCH**3, _VOLUME, "in3|cu in|cu. in."),
    ("km/h", Fraction(5, 18), _SPEED, "kph|kmh|kmph|كم/س"),
    ("mph", 63360 * _INCH / 3600, _SPEED, "mph|m.p.h."),
    ("m/s", 1, _SPEED, "mps|ms^-1"),
    ("ft/s", 12 * _INCH, _SPEED, "fps"),
    ("$", 1, _dimension(usd=1), "$|US$|USD|usd|dollar|buck|dólar|dólares|美元|美金|دولار|دولارات"),
    ("¢", Fraction(1, 100), _dimension(usd=1), "¢|cent|ct|cts|centavo|美分|سنت"),
    ("€", 1, _dimension(eur=1), "€|EUR|eur|euro|欧元|يورو"),
    ("£", 1, _dimension(gbp=1), "£|GBP|gbp|pound sterling|pounds sterling|英镑"),
    ("penny", Fraction(1, 100), _dimension(gbp=1), "pence"),
    ("元", 1, _dimension(cny=1), "元|¥|￥|CNY|RMB|yuan|块|块钱|圆|人民币"),
    ("角", Fraction(1, 10), _dimension(cny=1), "角|毛|毛钱"),
    ("₹", 1, _dimension(inr=1), "₹|Rs|Rs.|INR|rupee|卢比"),
    ("円", 1, _dimension(jpy=1), "円|JPY|yen|日元"),
    ("₽", 1, _dimension(rub=1), "₽|RUB|ruble|rouble"),
    ("MXN", 1, _dimension(peso=1), "MXN|peso"),
    ("°", 1, _dimension(angle=1), "°|deg|degree|grado|degré|度|درجة|درجات"),
    ("rad", 1, _dimension(radian=1), "rad|radian|弧度"),
    ("°C", 1, _dimension(celsius=1), "°C|° C|degree celsius|degrees celsius|degrees c|celsius|摄氏度"),
    ("°F", 1, _dimension(fahrenheit=1), "°F|° F|degree fahrenheit|degrees fahrenheit|degrees f|fahrenheit|华氏度"),
    ("K", 1, _dimension(temperature=1), "K|kelvin"),
    ("N", 1000, _FORCE, "N|newton|牛|牛顿"),
    ("kN", 10**6, _FORCE, "kN|kilonewton"),
    ("N m", 1000, _ENERGY, "Nm|newton meter|newton metre"),
    ("J", 1000, _ENERGY, "J|joule|焦耳|焦"),
    ("kJ", 10**6, _ENERGY, "kJ|kilojoule|千焦"),
    ("cal", 4184, _ENERGY, "cal|calorie|caloría|kalorie|卡路里"),
    ("kcal", 4184000, _ENERGY, "kcal|kilocalorie|千卡"),
    ("W", 1000, _POWER, "W|watt|瓦|瓦特"),
    ("kW", 10**6, _POWER, "kW|kilowatt|千瓦"),
    ("kWh", 3600 * 10**6, _ENERGY, "kWh|kilowatt hour|kilowatt-hour|千瓦时"),
    ("V", 1000, _VOLTAGE, "V|volt|伏|伏特"),
    ("Ω", 1000, _OHM, "Ω|ohm|欧姆"),
    ("A", 1, _dimension(current=1), "A|amp|ampere|安培"),
    ("mA", Fraction(1, 1000), _dimension(current=1), "mA|milliamp|milliampere"),
    ("mol", 1, _dimension(amount=1), "mol|mole|摩尔"),
    ("Pa", 1000, _PRESSURE, "Pa|pascal|帕"),
    ("kPa", 10**6, _PRESSURE, "kPa|kilopascal|千帕"),
    ("Hz", 1, _dimension(time=-1), "Hz|hertz|赫兹"),
    ("kB", 8000, _dimension(bit=1), "kB|KB|kilobyte"),
    ("MB", 8 * 10**6, _dimension(bit=1), "MB|megabyte"),
    ("GB", 8 * 10**9, _dimension(bit=1), "GB|gigabyte"),
)

_EXACT: dict[str, Unit] = {}
"""Symbols, case kept: "m" is metre, "M" is none."""
_NAMES: dict[str, Unit] = {}
"""Names and their plurals, casefolded."""
_SYMBOL_CHARS = re.compile(r"[A-Za-zΩ°$€£¥¢₹₽]{1,4}[23.]?")


def _fill() -> None:
    for symbol, factor, dimension, names in _TABLE:
        unit = Unit(symbol=symbol, factor=Fraction(factor), dimension=dimension)
        for name in (symbol, *names.split("|")):
            name = normalise(name)
            _EXACT.setdefault(name, unit)
            if len(name) > 3 or not name.isascii() or (len(name) == 3 and name.islower() and name.isalpha()):
                _NAMES.setdefault(name.casefold(), unit)
    for name, unit in list(_NAMES.items()):
        if len(name) >= 3 and name[-1] not in "sx.":
            _NAMES.setdefault(name + "s", unit)
            if len(name) > 4:
                _NAMES.setdefault(name + "n", unit)


_fill()
UNIT_NAMES: frozenset[str] = frozenset({*_EXACT, *_NAMES})
"""Every single name and symbol that is read; those longer than three letters are casefolded."""

_POWERS = {"square": 2, "squared": 2, "sq": 2, "sq.": 2, "cubic": 3, "cubed": 3, "cu": 3, "cu.": 3}
_POWERS |= {"cuadrado": 2, "cuadrados": 2, "cuadradas": 2, "carré": 2, "carrés": 2, "مربع": 2, "مربعة": 2}
_POWERS |= {"cúbico": 3, "cúbicos": 3, "cube": 3, "cubes": 3, "مكعب": 3}
_PREFIXED = re.compile(r"(quadrat|kubik|平方|立方)(.+)", re.IGNORECASE)
_PREFIX_POWERS = {"quadrat": 2, "kubik": 3, "平方": 2, "立方": 3}
_PER = re.compile(r"\s*/\s*|\s+(?:per|por|pro|par|an?|each|every|لكل|في)\s+|\s*每\s*")
_LONGEST = 60


def find_unit(text: str) -> Unit | None:
    """Return the unit that a whole phrase names, else `None`.

    "km", "kilometres", "Miles per hour", "km/h", "cm^2", "cm²", "square feet", "feet squared", "m2", "N m",
    "$/hour", 平方米, 千米/小时. Symbols keep their case ("m", not "M"); names do not. Exponents -4 to 4, at most
    six factors. A name that could be two units is the commoner one at school: "ton" is 2000 lb, "pound" a mass.
    """
    if not text or len(text) > _LONGEST:
        return None
    text = " ".join(normalise(text).split())
    unit = _single(text)
    if unit is not None:
        return unit
    sides = _PER.split(text)
    if len(sides) > 3:
        return None
    parts = [_product(side) for side in sides]
    if any(part is None for part in parts):
        return None
    result = parts[0]
    for part in parts[1:]:
        assert result is not None
        assert part is not None
        result = multiply(result, power(part, -1))
    return result


def _single(name: str) -> Unit | None:
    unit = _EXACT.get(name) or _NAMES.get(name.casefold())
    if unit is not None:
        return unit
    prefixed = _PREFIXED.fullmatch(name)
    if prefixed:
        inner = _single(prefixed[2])
        if inner is not None and inner.dimension == _LENGTH:
            return power(inner, _PREFIX_POWERS[prefixed[1].lower()])
    return None


def _product(text: str) -> Unit | None:
    """Read factors parted by space, * or ., each with an exponent; "square" and "squared" bind one factor."""
    whole = _single(text)
    if whole is not None:
        return whole
    words = [word for word in re.split(r"[\s*]+", text) if word]
    if not 0 < len(words) <= 6:
        return None
    result: Unit | None = None
    pending = 1
    for place, word in enumerate(words):
        lowered = word.casefold()
        if lowered in _POWERS:
            after = place > 0 and pending == 1 and (lowered.endswith("ed") or lowered[0] not in "sc" or place == 1)
            if after and result is not None and place == len(words) - 1:
                return power(result, _POWERS[lowered]) if place == 1 else None
            if pending != 1:
                return None
            pending = _POWERS[lowered]
            continue
        factor = _factor(word)
        if factor is None:
            return None
        factor, pending = power(factor, pending), 1
        result = factor if result is None else multiply(result, factor)
    return result if pending == 1 else None


def _factor(word: str) -> Unit | None:
    match = re.fullmatch(r"(.+?)\^\(?(-?[1-4])\)?", word)
    if match:
        base = _single(match[1])
        return None if base is None else power(base, int(match[2]))
    return _single(word)


def multiply(left: Unit, right: Unit) -> Unit:
    """Return the product of two units; its symbol joins theirs."""
    powers = dict(left.dimension)
    for base, exponent in right.dimension:
        powers[base] = powers.get(base, 0) + exponent
    symbol = f"{left.symbol} {right.symbol}"
    if right.symbol.startswith("1/"):
        symbol = f"{left.symbol}/{right.symbol.removeprefix('1/')}"
    return Unit(symbol=symbol, factor=left.factor * right.factor, dimension=_dimension(**powers))


def power(unit: Unit, exponent: int) -> Unit:
    """Return a unit raised to a whole power; -1 turns "h" into "1/h"."""
    if exponent == 1:
        return unit
    symbol = f"1/{unit.symbol}" if exponent == -1 else f"{unit.symbol}^{exponent}"
    dimension = tuple((base, size * exponent) for base, size in unit.dimension if size * exponent)
    return Unit(symbol=symbol, factor=unit.factor**exponent, dimension=dimension)


def convert(value: Fraction, source: Unit, target: Unit) -> Fraction | None:
    """Return a value given in one unit as a number of another; `None`: they measure different things."""
    if source.dimension != target.dimension:
        return None
    return value * source.factor / target.factor
