"""Cue words by language: what marks a question, a hedge, a correction, an acknowledgement, a feeling, an operation.

English is full, the other languages hold their main cues. Each entry is a regular expression on lower case text.
"""

from __future__ import annotations

QUESTION: dict[str, str] = {
    "en": r"^(?:so |and |but |ok(?:ay)?,? |um+,? |well,? )*(?:what|why|how|when|where|which|who|whose|can you|could you"
    r"|can i|could i|should i|do i|do we|does|did i|is it|is that|is this|are we|are they|am i|will you|would you|may i"
    r"|shall)\b",
    "es": r"^(?:y |pero )?(?:¿|qué|que es|por qué|cómo|como se|cuánto|cuánta|cuántos|cuántas|cuál|puedes|puedo"
    r"|es correcto)",
    "fr": r"^(?:et |mais )?(?:pourquoi|comment|combien|quel|quelle|qu'est-ce|est-ce|peux-tu|puis-je)\b",
    "de": r"^(?:und |aber )?(?:was|warum|wieso|wie|wann|welche|welcher|welches|kannst du|kann ich|soll ich|ist das)\b",
    "ar": r"^(?:و)?(?:ما|ماذا|لماذا|كيف|كم|هل|أين|متى|أي)\b",
    "zh": r"(?:什么|怎么|为什么|为何|几个|多少|哪|是不是|对吗|对不对|吗)",
}
HEDGE: dict[str, str] = {
    "en": r"\b(?:maybe|perhaps|probably|possibly|i guess|i think|i believe|i suppose|not (?:really |quite |so )?sure"
    r"|might be|could be|unsure|kind of|sort of|i'?m guessing|i assume|either)\b",
    "es": r"\b(?:quizás?|tal vez|creo que|supongo|puede ser|no estoy segur[oa]|a lo mejor)\b",
    "fr": r"\b(?:peut-être|je crois|je pense|je suppose|pas sûre?|il se peut)",
    "de": r"\b(?:vielleicht|ich glaube|ich denke|ich vermute|nicht sicher|könnte|wahrscheinlich)\b",
    "ar": r"(?:ربما|أظن|أعتقد|قد يكون|لست متأكد)",
    "zh": r"(?:可能|也许|大概|我觉得|我想|我猜|好像|不确定|应该是)",
}
CORRECTION: dict[str, str] = {
    "en": r"\b(?:should(?:'ve| have| be|n'?t| not)|supposed to|instead(?: of)?|rather than|i meant?|not \d|n'?t \d"
    r"|my mistake"
    r"|i (?:made|did) (?:a|an|the|my) (?:mistake|error)|mistaken|i was wrong|i (?:mis\w+|forgot|missed|mixed up)|wait"
    r"|actually|oops|correction|let me (?:fix|correct|try|redo)|i see (?:my|the) (?:mistake|error)|wrong)\b",
    "es": r"\b(?:debería|en vez de|en lugar de|quise decir|me equivoqué|no es \d|perdón|espera|mejor dicho|olvidé)\b",
    "fr": r"\b(?:aurais dû|au lieu de|je voulais dire|je me suis trompée?|pas \d|pardon|attends|plutôt|j'ai oublié)",
    "de": r"\b(?:hätte|anstatt|statt|ich meinte|mein fehler|nicht \d|falsch|moment|sondern|vergessen|eigentlich)\b",
    "ar": r"(?:كان يجب|بدلا من|بدلاً من|أقصد|أخطأت|ليس \d|عفوا|انتظر|نسيت|خطأ)",
    "zh": r"(?:应该是|应该|而不是|我错了|不是\s?\d|不对|等等|算错|弄错|忘了|错了|改成)",
}
ACKNOWLEDGEMENT: dict[str, str] = {
    "en": r"^(?:oh,? )*(?:ok(?:ay)?|yes|yeah|yep|yup|sure|right|i see|got it|i get it|alright|thanks?(?: you)?"
    r"|thank you"
    r"|makes sense|that makes sense|i understand(?: now)?|understood|of course|true|correct|you'?re right|good"
    r"|great|cool"
    r"|no|nope|oh|ah|hm+|aha|hi|hello|hey|no problem|fine|exactly|yes i do|i do|that'?s right|gotcha|fair enough"
    r"|nice|lol|(?:good)?bye|see (?:you|ya)|my bad|that helps|never ?mind|sounds (?:good|right)|cheers)\b",
    "es": r"^(?:sí|si|vale|ok|claro|entiendo|ya veo|gracias|de acuerdo|bien|correcto|no|hola|ah|oh|adiós)\b",
    "fr": r"^(?:oui|ok|d'accord|je vois|je comprends|merci|bien|exact|non|bonjour|ah|oh|au revoir)\b",
    "de": r"^(?:ja|ok|okay|klar|verstehe|ich verstehe|danke|gut|richtig|stimmt|nein|hallo|ach|ah|oh|tschüss)\b",
    "ar": r"^(?:نعم|حسنا|حسناً|فهمت|شكرا|شكراً|صحيح|طيب|لا|مرحبا|أها|مع السلامة)",
    "zh": r"^(?:好的?|嗯|是的?|对的?|明白了?|懂了|知道了|谢谢|行|没错|哦|啊|不|你好|我懂了|我明白了|再见)",
}
AFFECT: dict[str, str] = {
    "en": r"\b(?:confus(?:ed|ing)|stuck|frustrat(?:ed|ing)|hard|difficult|hate|boring|bored|tired|stupid|dumb|sorry"
    r"|annoy\w*"
    r"|i (?:don'?t|do not|dont) (?:understand|get|know)|idk|no idea|lost|worried|nervous|happy|glad|fun|love|like this"
    r"|give up|i can'?t|help|easy|yay|ugh|awesome|excited|upset|sad)\b",
    "es": r"\b(?:confundid[oa]|no entiendo|no sé|no se|difícil|frustrad[oa]|ayuda|me rindo|aburrid[oa]|odio"
    r"|lo siento|fácil)\b",
    "fr": r"(?:perdue?|je ne comprends pas|je comprends pas|je ne sais pas|je sais pas|difficile|aide|j'abandonne"
    r"|désolée?|facile)",
    "de": r"\b(?:verwirrt|verstehe (?:das |es )?nicht|weiß (?:ich )?nicht|keine ahnung|schwer|schwierig|hilfe"
    r"|langweilig|leicht)\b",
    "ar": r"(?:لا أفهم|لا أعرف|صعب|ساعدني|مساعدة|محتار|ممل|سهل|آسف)",
    "zh": r"(?:不懂|不明白|不知道|不会|太难|好难|难|帮|烦|讨厌|无聊|放弃|对不起|简单)",
}
OPERATION: dict[str, str] = {
    "en": r"\b(?:add(?:ed|ing|s)?|subtract(?:ed|ing|s)?|multipl(?:y|ied|ying|ies)|divid(?:e|ed|ing|es)|plus|minus|times"
    r"|take away|took away|taking away|sum|total up|split|share(?:d)? equally|doubl(?:e|ed|ing)|halv(?:e|ed|ing)"
    r"|deduct(?:ed|ing)?"
    r"|combine[ds]?|count(?:ed)? up|convert(?:ed|ing)?)\b",
    "es": r"\b(?:sum\w+|rest(?:o|é|ar|amos|ando)|multiplic\w+|divid\w+|más|menos|por|entre|quitar|repartir)\b",
    "fr": r"\b(?:ajout\w+|additionn\w+|soustra\w+|multipli\w+|divis\w+|plus|moins|fois|enlev\w+|partag\w+)\b",
    "de": r"\b(?:addier\w+|subtrahier\w+|multiplizier\w+|dividier\w+|plus|minus|mal|geteilt|abzieh\w+"
    r"|zusammenzähl\w+|teil\w+)\b",
    "ar": r"(?:أجمع|اجمع|جمع|أطرح|اطرح|طرح|أضرب|اضرب|ضرب|أقسم|اقسم|قسمة|زائد|ناقص)",
    "zh": r"(?:加|减|乘|除|相加|平均分)",
}
CLAUSE_BREAK: dict[str, str] = {
    "en": r"[.!?;\n]+(?=\s|$)|,?\s+(?=(?:but|so (?:i|he|she|it|we|they|you|the|that|there|my|\d)|then|because"
    r"|therefore|and (?:then|so)|which means|since)\b)|,\s+",
    "es": r"[.!?;\n]+(?=\s|$)|,?\s+(?=(?:pero|así que|entonces|porque|por lo tanto)\b)|,\s+",
    "fr": r"[.!?;\n]+(?=\s|$)|,?\s+(?=(?:mais|donc|alors|parce que|puis)\b)|,\s+",
    "de": r"[.!?;\n]+(?=\s|$)|,?\s+(?=(?:aber|also|dann|weil|deshalb)\b)|,\s+",
    "ar": r"[.!?;\n]+(?=\s|$)|[,]\s*|\s+(?=(?:لكن|ثم|لذلك|لأن)\b)",
    "zh": r"[.!?;,。！？；，\n]+",
}


def cue(table: dict[str, str], language: str) -> str:
    """Return a language's expression, English for a language that has none."""
    return table.get(language[:2].lower(), table["en"])
