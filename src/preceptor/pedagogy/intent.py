"""What a learner is doing in one turn, and what kind of question they ask, if any. Cues in six languages."""

from __future__ import annotations

import re

from preceptor.domain.learner_state import Intent


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE)


_LOST = (
    r"^\W*(?:(?:um+|uh+|sorry|well|i'?m|im|so|honestly|but|really)[ ,.]+)*(?:idk|idek|dunno|i ?d(?:on'?t|ont"
    r"|o not) (?:really |even )?(?:know|remember)|no idea|no clue|not sure|stuck|lost|(?:i )?can'?t do (?:this"
    r"|it))\b(?! (?:what you mean|why|about))"
    r"|^\W*(?:no (?:lo )?s[eé]|ni idea|je (?:ne )?sais pas|keine ahnung|weiß (?:ich )?nicht|ich weiß (?:es )?nicht"
    r"|لا أعرف|لا أعلم|不知道|不会)\W*$"
)
_ASK_ANSWER = _any(
    r"\b(?:just |please |can you |could you |u )*(?:tell|give|show|send) (?:me )?(?:(?:just )?(?:the )?(?:final "
    r"|right |correct |full "
    r"|whole )?(?:answer|solution|result))\b|\bwhat(?:'s|s| is) the (?:final |right |correct )?(?:answer|solution)\b"
    r"|\b(?:i (?:just )?(?:want|need)|gimme) (?:the |an )?(?:answer|solution)\b|\bsolve it for me|\bdo it for me"
    r"|\bjust tell me\b|\bwhat (?:should|do) i (?:write|put)\b|\bis the answer \w+ or \w+\b|\bshow (?:me )?the answer"
    r"|\bi am your teacher\b|\bi'?m (?:your|the) (?:teacher|instructor|tutor)\b|\b(?:reveal|print"
    r"|output) (?:the )?(?:answer|solution)"
    r"|\bignore (?:all |your |the |any )?(?:previous |prior )?(?:instructions|rules)",
    r"\b(?:dime|dame|muéstrame) (?:la |el )?(?:respuesta|solución|resultado)|\bcuál es la (?:respuesta|solución)",
    r"\b(?:donne|dis|montre)(?:z)?[- ]moi (?:la |le )?(?:réponse|solution|résultat)|\bquelle est la (?:réponse"
    r"|solution)",
    r"\b(?:sag|gib|verrate?|zeig)\w* (?:mir )?(?:bitte )?(?:einfach )?(?:die |das )?(?:antwort|lösung|ergebnis)"
    r"|\bwas ist die (?:antwort|lösung)",
    r"(?:أعطني|قل لي|اخبرني|أخبرني) (?:ال)?(?:جواب|إجابة|حل)|ما هو الجواب|ما هي الإجابة|أعطني الإجابة|أعطني الحل",
    r"答案是(?:什么|多少)|告诉我答案|给我答案|直接说答案|直接告诉我|结果是多少",
)
_REQUEST_HINT = _any(
    _LOST,
    r"\b(?:hint|clue)\b|\b(?:can|could|will|would) (?:you|u) (?:please )?help\b|\bhelp(?: me)?(?: please)?\s*[.!?]*$"
    r"|\bi need (?:some |more |your )?help"
    r"|\bwhere (?:do|should|can) i (?:start|begin)|\bhow (?:do|should|can) i (?:start|begin)|\bi(?:'m| am) stuck\b"
    r"|\bi don'?t know (?:how|where) to"
    r"|\bwhat (?:do|should) i do (?:next|now|first)\b|\bwhat(?:'s| is) next\b|\bwhat next\b",
    r"\bpista\b|\bayúdame|\bayuda\b|\bpor dónde empiezo|\bcómo empiezo",
    r"\bindice\b|\baide[- ]moi|\baidez[- ]moi|\bpar où (?:commencer|je commence)|\bun coup de pouce",
    r"\btipp\b|\bhilf\b|\bhilfe\b|\bwie fange? ich an|\bwo fange? ich an",
    r"تلميح|ساعدني|ساعديني|كيف أبدأ|من أين أبدأ",
    r"提示|帮帮我|帮我|怎么开始|从哪里开始|怎么做",
)
_CONFIRM = _any(
    r"\bis (?:it|that|this) (?:right|correct|ok|okay|good|true)\b|\b(?:am i|did i do (?:it|that|this)) (?:right"
    r"|correct(?:ly)?)\b|\bright\s*\?|\bcorrect\s*\?"
    r"|\bdo you mean\b|\bso (?:you mean|you'?re saying|what you'?re saying)|\bdoes that (?:make sense|look right)\b"
    r"|\bis it\s+[-$]?\d[\d.,]*\s*\?"
    r"|\bi (?:now )?(?:understand|get it|see it|see what you)\b(?!.*\bdon'?t\b)|\bthat makes sense\b|\bgot it\b"
    r"|\bi see now\b|\bi got it\b",
    r"\b(?:está|es) (?:bien|correcto)\s*\?|\b¿es correcto|\bya entiendo|\bentendido",
    r"\bc'est (?:juste|bon|correct)\s*\?|\bj'ai compris|\bje comprends\b",
    r"\b(?:ist das|stimmt das|stimmt's) ?(?:richtig)?\s*\?|\bverstanden\b|\bich verstehe\b(?! (?:es |das )?nicht)",
    r"هل هذا صحيح|صحيح؟|فهمت|واضح",
    r"对吗|对不对|是不是|是吗|明白了|懂了|我知道了",
)
_ASK_EXPLANATION = _any(
    r"\bwhy\b[^.!?]*\?|\bhow (?:come|did you|do you|does (?:that|this|it)|is (?:that|it|this))\b|\bwhat do you mean\b"
    r"|\b(?:can|could) you (?:please )?(?:explain|show"
    r"|repeat|say (?:that|it) again)|\bexplain\b[^.!?]*(?:\?|please|again)|\bi don'?t (?:understand|get|see) (?:why"
    r"|how|that|this|it|what)|\bwhere (?:did|does) (?:the|that|this)"
    r"|\bhow (?:do|can|should|would) (?:i|we|you) (?:get|find|know|work|calculate|solve|do)\b|\bwhat am i doing wrong"
    r"|\bwhat did i do wrong|\bwhere did i go wrong",
    r"\bpor qué\b|\bexplica\w*|\bqué quieres decir|\bno entiendo",
    r"\bpourquoi\b|\bexplique\w*|\bque veux-tu dire|\bje (?:ne )?comprends pas",
    r"\bwarum\b|\bwieso\b|\berklär\w*|\bwas meinst du|\bversteh(?:e)? (?:ich |das |es )*nicht",
    r"لماذا|اشرح|وضح|ماذا تقصد|لا أفهم|لم أفهم",
    r"为什么|解释|什么意思|怎么来的|不懂|不明白|没听懂",
)
_ASK_CONCEPT = _any(
    r"\bwhat (?:is|are|does) (?:a |an |the )?(?!answer|next|total|it\b|that\b"
    r"|this\b)[a-z][a-z -]{2,40}(?: mean)?\s*\?|\bwhat(?:'s| is) the (?:difference between|meaning of|definition"
    r"|formula)"
    r"|\bwhat (?:does|do) .{1,40} mean\b|\bdefine\b|\bdefinition of\b|\bmeaning of\b|\bwhat is meant by\b",
    r"\bqué (?:es|son|significa) (?!eso|esto)\w+",
    r"\bqu'est-ce (?:que|qu')|\bque (?:signifie|veut dire)",
    r"\bwas (?:ist|sind|bedeutet|heißt) (?:ein|eine|der|die|das)?\s*\w+",
    r"ما معنى|ما هو (?!الجواب)|ما هي (?!الإجابة)",
    r"什么是|是什么意思|(?:定义|公式)是什么",
)
_GUESSING = _any(
    r"\b(?:i(?:'m| am)? )?(?:just )?guess(?:ing|ed)?\b|\bmaybe\b(?=[^.!?]*\d)|\bis it\s+[-$]?\d|\bcould it be\b"
    r"|\bor (?:is it |maybe )?\d|\d[\d.,]*\s*\?+\s*$|\bidk,? (?:maybe )?\d",
    r"\b(?:quizás|tal vez|adivino)\b|\bserá\b(?=[^.!?]*\d)",
    r"\bje devine\b|\bpeut-être\b",
    r"\bich rate\b|\bvielleicht\b|\bgeraten\b",
    r"ربما|أخمن",
    r"我猜|猜的|也许|可能是|大概是",
)
_OFF_TOPIC = _any(
    r"\b(?:fortnite|roblox|minecraft|tik ?tok|youtube|netflix|snapchat|instagram|video ?games?|football match"
    r"|my (?:dog|cat|mom|mum|dad|friend|brother|sister) (?:is|just|says|said)"
    r"|favou?rite (?:colou?r|food|song|movie|game|animal)|what(?:'s| is) your (?:name|favou?rite)|how old are you"
    r"|where (?:are|do) you (?:from|live)|are you (?:a )?(?:human|real|robot|ai|bot)"
    r"|tell me a (?:joke|story)|do you (?:like|have|play)|i(?:'m| am) (?:hungry|tired|bored|thirsty|sleepy)"
    r"|be right back|brb|gtg|(?:have|got|need) to (?:go|leave|leeve)(?: now)?\b(?! to)|bathroom"
    r"|what(?:'s| is) up|wassup|good (?:morning|night|afternoon)|see you|bye)\b|\bwell be right back\b|\b(?:let'?s"
    r"|can we) (?:play|talk about)\b",
    r"\bcómo te llamas|\bcuéntame un chiste|\btengo hambre|\badiós\b",
    r"\bcomment tu t'appelles|\braconte[- ]moi une blague|\bj'ai faim|\bau revoir\b",
    r"\bwie heißt du|\berzähl mir einen witz|\bich habe hunger|\btschüss\b",
    r"ما اسمك|احك لي نكتة|أنا جائع|مع السلامة",
    r"你叫什么|讲个笑话|我饿了|再见|打游戏",
)
_WORDS = re.compile(r"[^\W\d_]+")

_ORDER: tuple[tuple[Intent, re.Pattern[str]], ...] = (
    (Intent.ASK_ANSWER, _ASK_ANSWER),
    (Intent.REQUEST_HINT, _REQUEST_HINT),
    (Intent.ASK_CONCEPT, _ASK_CONCEPT),
    (Intent.ASK_EXPLANATION, _ASK_EXPLANATION),
)


def read_intent(utterance: str, *, has_claim: bool, bare_guess: bool) -> Intent:
    """Return what the learner is doing.

    Args:
        utterance: The learner's words.
        has_claim: A value or a calculation was read: then only open cues of another intent outweigh working on it.
        bare_guess: The turn is a bare answer with no work shown, after another that was not right.
    """
    text = utterance.replace("’", "'")
    asks_answer = _ASK_ANSWER.search(text)
    if asks_answer:
        return Intent.ASK_ANSWER
    if has_claim:
        if bare_guess or _GUESSING.search(text):
            return Intent.GUESSING
        if re.search(
            r"\b(?:right|correct)\s*\?|\bis (?:it|that|this) (?:right|correct)|对吗|对不对", text, re.IGNORECASE
        ):
            return Intent.CONFIRM_UNDERSTANDING
        return Intent.DEBUGGING
    for intent, cue in _ORDER:
        if cue.search(text):
            return intent
    if is_affirmation(text):
        return Intent.CONFIRM_UNDERSTANDING
    if _OFF_TOPIC.search(text):
        return Intent.OFF_TOPIC
    if _CONFIRM.search(text):
        return Intent.CONFIRM_UNDERSTANDING
    if _GUESSING.search(text):
        return Intent.GUESSING
    return Intent.DEBUGGING


_AFFIRMATION = re.compile(
    r"\W*(?:h+m+\W+)?(?>(?:i (?:see|get (?:it|that|this|you)|do|did|am)"
    r"|see (?:you|ya)(?: later| soon| tomorrow| next time)?"
    r"|what you mean|(?:good|fair|great) (?:point|idea|one)|(?:a )?nice one|thank you|will do|makes? sense|of course"
    r"|all right|so much|a lot|my bad|no (?:problem|worries)|never ?mind|fair enough|it is|good ?night|take care"
    r"|have a (?:nice|good|great) (?:day|one|evening|weekend)|de acuerdo|hasta luego|au revoir"
    r"|yes|yea|yeah|yep|yup|ya|es|ok|okay|k|kk|oki|sure|right|correct|true|alright|fine|good|great"
    r"|cool|nice|thanks?|you|oh|ah|i|see|got|it|done|understood|understand|now|that|is"
    r"|for|the|your|help|helps|helped|helpful|helping|me|very|much|ready|sounds"
    r"|clear|exactly|agreed|agree|too|welcome|perfect|awesome|gotcha|fair|then|lol|haha+|thx|ty|cheers"
    r"|appreciate|really|so|(?:good)?bye+|later"
    r"|sí|si|vale|claro|gracias|adiós|oui|d'accord|merci|bien|ja|klar|gut|danke|stimmt|richtig|genau|tschüss"
    r"|نعم|حسنا|حسناً|شكرا|شكراً|تمام|صحيح|مع السلامة)(?![^\W\d_])\W*"
    r"|(?:好的|好|是的|是|对的|对|嗯|谢谢|明白|懂了|知道了|了|再见)\W*)++",
    re.IGNORECASE,
)
"""Each piece is taken once and for all, so that a long text cannot be taken apart in ever new ways."""
_DENIAL = re.compile(
    r"\W*(?:no|nope|nah|not really|not yet|i (?:do not|don'?t|have not|haven'?t|did not|didn'?t)(?: think so)?"
    r"|no i have not|no i (?:do not|don'?t|did not|didn'?t)|non|nein|لا|不|不是|没有)\W*",
    re.IGNORECASE,
)


_LOST_CUE = re.compile(_LOST, re.IGNORECASE)


def is_lost(utterance: str) -> bool:
    """Whether the learner says that they do not know how to go on, and little else."""
    return bool(_LOST_CUE.search(utterance.strip().replace("’", "'")))


def is_affirmation(utterance: str) -> bool:
    """Whether the utterance agrees, thanks, takes leave or reports and says no more: no evidence of anything."""
    return bool(_AFFIRMATION.fullmatch(utterance.strip()))


def is_denial(utterance: str) -> bool:
    """Whether the utterance says no and nothing else."""
    return bool(_DENIAL.fullmatch(utterance.strip()))


def asks_question(utterance: str) -> bool:
    """Whether the learner asks something of their own; a value with a question mark is a guess, not a question."""
    text = utterance.strip().replace("’", "'")
    if any(cue.search(text) for _, cue in _ORDER):
        return True
    if not text.rstrip().endswith(("?", "？", "؟")):
        return False
    return len(_WORDS.findall(text)) >= 2 and not re.search(r"\d\W*$", text)
