"""Wordings that tell what kind of move a reply is: our own list, English, written without any data set's words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

_PATTERNS: dict[str, str] = {
    # greeting, closing, praising
    "greets": r"^\W*(?:hi|hello|hey|hiya|good (?:morning|afternoon|evening)|welcome|nice to meet)\b",
    "asks_wellbeing": r"\bhow (?:are you|is it going|are things)\b",
    "opens_right": r"^\W*(?:yes|yeah|yep|correct|exactly|right|that(?:'s| is| was) (?:right|correct|it|great|good"
    r"|fantastic|perfect|exactly)|spot on|absolutely|indeed)\b",
    "opens_praise": r"^\W*(?:great|good|well done|excellent|perfect|brilliant|amazing|awesome|fantastic|nice|super"
    r"|wonderful|lovely|fab|wow|bravo)\b",
    "praises": r"\b(?:well done|good (?:job|work|effort|thinking|start|try|attempt|idea)|great (?:job|work|effort"
    r"|thinking|start|try|attempt|idea)|excellent (?:job|work)|nice (?:job|work|one|try)|keep it up|proud of"
    r"|you(?:'ve| have)? (?:got|did|done|nailed) it|you got there|fantastic|amazing|brilliant|perfect)\b",
    "calls_right": r"(?<!not )(?<!n't )\b(?:that(?:'s| is)|you(?:'re| are)|it(?:'s| is)|answer is|this is|thats"
    r"|you were)"
    r" (?:absolutely |exactly |quite |indeed |also |all |the |now )?(?:right|correct)\b|^\W*correct\b|\bcorrectly\b",
    "calls_answer_right": r"\b(?:right|correct|final) answer\b|\banswer is (?:right|correct)\b",
    "thanks": r"\bthank(?:s| you)\b",
    "apologises": r"\b(?:sorry|apolog\w+|my mistake|my bad)\b",
    "says_ok": r"^\W*(?:ok|okay|alright|sure|i see|ah|oh|hmm|no problem|of course)\b",
    "only_ok": r"^\W*(?:ok|okay|yes|good|great|well done|correct|perfect|exactly|right|excellent)\W*$",
    "asks_clear": r"\b(?:make(?:s)? sense|understand(?: (?:it|that|this|now|why|where))?|clear|happy with"
    r"|get (?:it|that|this)|see (?:that|how|why|what i mean))\b[^?]{0,30}\?",
    "asks_clear_end": r"\b(?:ok|okay|right|get it|understand|yes|sense|see|agree|correct)\s*\?\W*$",
    "farewell": r"\b(?:bye|goodbye|see you|good luck|next (?:question|problem|one)|any (?:other )?questions|move on"
    r"|keep (?:up|practi\w+)|finished|all done|hope)\b",
    "asks_help_kind": r"\b(?:how can i help|what (?:part|bit) (?:are|is|did|do)|where (?:are|did) you (?:get "
    r"|got )?stuck"
    r"|which (?:part|bit)|having (?:trouble|difficult\w+)|struggling|need (?:any )?help|confus\w+ (?:you|about))\b",
    # walking through one's work
    "asks_walk": r"\b(?:walk|talk|take|run|guide|go) (?:me |us )?through\b",
    "asks_show_work": r"\b(?:show (?:me|us|your)|tell me (?:how|what you|about your|your|why)|explain (?:to me "
    r"|me )?(?:how"
    r"|your|what you|why|the steps|it)|share (?:your|how)|describe (?:how|your)|your (?:working|workings|solution|work"
    r"|thinking|reasoning|steps|method|thought)|how (?:you|did you) (?:got|get|work\w*|reach\w*|arriv\w*|solv\w*"
    r"|came|come"
    r"|calculat\w*|found|find|figure\w*))\b",
    "asks_how_did": r"\bhow (?:did|have) you\b|\bhow you (?:got|get|did|reached|arrived|came)\b",
    "asks_what_did": r"\bwhat (?:did|have) you\b",
    "asks_why": r"\bwhy\b|\bwhat makes you\b|\bhow come\b|\breason for\b|\bhow do you know\b",
    "asks_think": r"\b(?:do you think|what do you think|you think)\b",
    "asks_sure": r"\b(?:are you sure|sure about|certain|is that (?:right|correct|what)|does that (?:seem|look|sound"
    r"|make)"
    r"|do you agree|would (?:that|this|it) (?:be|make)|could (?:that|this|it) be|is (?:this|it) (?:right|correct))\b",
    "asks_recheck": r"\b(?:re-?check|double[- ]?check|check (?:your|the|that|again|it|this|over)|try (?:that |it "
    r"|this )?again"
    r"|another (?:go|try|look)|look (?:again|back|over|at (?:your|that|it|this))|re-?(?:read|visit|view|think|evaluate"
    r"|examine|calculate|consider|do)|have (?:a|another) (?:look|go|think)|take (?:a|another) look|spot (?:the|your"
    r"|any|where)"
    r"|find (?:the|your) (?:mistake|error)|where you (?:went|made)|what (?:went|is) wrong|see (?:where|what|if|any))\b",
    "asks_meaning": r"\bwhat (?:does|do|is meant|did)\b[^?.]{0,60}\b(?:mean|represent|stand for|tell|refer|call)"
    r"|\bmeaning of\b"
    r"|\bwhat is (?:a|an)\b|\bdefin\w+|\bwhat (?:is|are) (?:meant|the difference)\b",
    "asks_if": r"\b(?:if|imagine|suppose|say|let'?s say|pretend|what if|what would happen|instead of)\b",
    "asks_you_own": r"\b(?:if you|do you have|you had|if i|i have|i had|i buy|i give|give you|gave you"
    r"|your (?:family|house"
    r"|class|friend))\b",
    "asks_yes_no": r"(?:^|[.!?;,:] *|\b(?:so|but|and|then|now) )(?:is|are|was|were|do|does|did|has|have|had|will"
    r"|would|should"
    r"|could|can|isn't|aren't|doesn't|don't|shouldn't) (?:it|this|that|there|the|they|he|she|we|you|all|these|those"
    r"|any|each)\b"
    r"[^.!]*\?",
    "asks_can_you": r"\b(?:can|could|would|will) you\b",
    "asks_can_you_tell": r"\b(?:can|could|would) you (?:please )?(?:tell|explain|show|describe|walk|talk|share|let)\b",
    "asks_can_you_work": r"\b(?:can|could|would) you (?:please )?(?:work|calculate|find|figure|solve|try|do|write"
    r"|add|multiply"
    r"|divide|subtract|think|see|check|look|identify)\b",
    "asks_same": r"\b(?:same (?:as|thing)|different from|difference between|equal to|more than|less than|which (?:is"
    r"|one))\b[^.]*\?",
    # narrowing
    "asks_how_many": r"\bhow (?:many|much|long|far|old|fast|tall|big|often|heavy|wide)\b",
    "asks_what_is": r"\bwhat(?:'s| is| are| was| would| will| do| does| did)\b",
    "asks_what_total": r"\bwhat\b[^.?!]{0,40}\b(?:total|number|amount|value|cost|price|sum|answer|result|percentage"
    r"|fraction"
    r"|length|width|area|age|time|distance|speed|weight|profit)\b",
    "asks_next": r"\b(?:next step|what (?:is|would be|do we do|should we do|do you do|happens|comes) next|(?:what"
    r"|now what) (?:do|should)"
    r" (?:we|you) (?:need|have|do)|what else|how (?:would|could|can|do|should) (?:we|you)|what (?:would|should|could"
    r"|can|do)"
    r" (?:we|you)|which operation|what operation|first step|where (?:would|should) (?:we|you) start)\b",
    "asks_text_says": r"\b(?:what does (?:the|it)|does the (?:question|problem)|question (?:say|tell|ask)\w*"
    r"|problem (?:say|tell|ask)\w*"
    r"|told (?:us|you|that|in)|it (?:says|said|tells|states)|according to|in the (?:question|problem|text)|question"
    r"|given)\b",
    "reminds": r"\b(?:remember|recall|keep in mind|don'?t forget|note that|notice|bear in mind|recap|as you know)\b",
    "lets": r"\blet'?s\b|\blet us\b|\blets\b",
    "lets_start": r"\blet'?s? (?:us )?(?:start|go back|begin|look|focus|think|take|break|try|work|see|re\w+|read)\b",
    "focuses": r"\b(?:focus on|think about|concentrate|consider|look at|pay attention|go back to|start with"
    r"|starting with|begin with"
    r"|only (?:the|on|think|look))\b",
    "gives_hint": r"\b(?:hint|clue|tip|try (?:to|using|adding|subtracting|multiplying|dividing|thinking|drawing"
    r"|writing))\b",
    "before_first": r"\b(?:before (?:that|we|you|this)|first|first of all|firstly|one step|step by step|for now)\b",
    "now_so": r"^\W*(?:so|now|then|and|ok so|okay so|right so|great so)\b|[.,!;] (?:so|now|then)\b",
    "so_how": r"\b(?:so|now|then|and|therefore)\b[^.?!]{0,25}\b(?:how|what)\b[^.!]*\?",
    # telling
    "tells_need": r"\b(?:you|we|she|he|they|u)(?:'ll)? (?:need(?:s|ed)?|have|has|had|must|should|would|will|could"
    r"|just need|can)"
    r" (?:to |have to |then |just |now |first )*(?:add|subtract|multiply|divide|times|take|minus|double|halve|find"
    r"|work|use"
    r"|calculate|convert|do|get|be|include|count|split|round|put|have|started?|remove|deduct)\b",
    "tells_should": r"\b(?:should (?:be|have|not)|shouldn't|supposed to|needs? to be|has to be|must be|would be"
    r"|will be|ought|instead)\b",
    "imperative_calc": r"(?:^|[.!?;,:] *|\b(?:so|and|then|now|just|please) )(?:add|subtract|multiply|divide|times"
    r"|take|double"
    r"|halve|minus|calculate|use|find|count|work out|do|put|convert|include|split|start)\b",
    "imperative_think": r"(?:^|[.!?;,:] *|\b(?:so|and|then|now|just|please) )(?:think|look|read|check|consider|try"
    r"|remember|focus"
    r"|notice|recall|go|see|have|show|tell|explain)\b",
    "because": r"\b(?:because|since|as (?:it|he|she|they|the|we|you|there|this)|so that|therefore|thus|hence|that means"
    r"|which means|this means|means that|meaning|that is why|due to|in order to)\b",
    "concludes": r"\b(?:so (?:the|there|that|it|he|she|they|we|you|this|his|her|in|each|if)|which (?:is|gives|leaves"
    r"|makes)"
    r"|that(?:'s| is| gives| leaves| makes)|gives (?:us|you)|leaves|leaving|equals|makes|comes to|is equal)\b",
    "reveals_word": r"\b(?:the (?:correct |right |final )?answer (?:is|should|would|was)|here is|this is how|i will"
    r"|i'll|let me"
    r"|the solution|the way to)\b",
    "corrects_no": r"^\W*(?:no|nope|not|unfortunately|incorrect|wrong|that(?:'s| is|s) (?:not|incorrect|wrong)"
    r"|almost|nearly|close"
    r"|you(?:'re| are) (?:close|nearly|almost|not))\b",
    "corrects": r"\b(?:not quite|incorrect|wrong|mistake|error|misread|misunderst\w+|miscalculat\w+|forgot\w*"
    r"|forget\w*|missed|missing"
    r"|overlook\w*|slip\w*|confus\w+|isn't|is not|not (?:right|correct|the|what|a|exactly)|doesn't|don't|didn't)\b",
    "you_did": r"\byou(?:'ve| have)? (?:said|got|used|found|calculated|added|multiplied|divided|subtracted|wrote"
    r"|counted|assumed"
    r"|took|put|worked|included|started|did|have|need|said|told|mentioned|stated)\b",
    "but": r"\b(?:but|however|although|though|yet)\b",
    "credits_part": r"\b(?:right track|good start|great start|right idea|close|nearly|almost|so far|correct (?:so"
    r"|that|to)|partly"
    r"|up to|first part|you (?:are|were) (?:right|correct) (?:that|to|in|about|with))\b",
    "example": r"\b(?:for example|for instance|e\.?g|example|like this|imagine|suppose|think of)\b",
    "names_operation": r"\b(?:add\w*|plus|subtract\w*|minus|multipl\w+|times|divid\w+|deduct\w*|take away)\b",
    "says_we": r"\b(?:we|us|our)\b",
    "says_you": r"\b(?:you|your|u)\b",
    "says_i": r"\bi\b",
    "exclaims": r"!",
    "quotes": r"[\"“”]|'[a-z ]{6,}'",
    "has_equation": r"\d[^?.!\n]{0,40}=\s*[$£€]?\d",
    "open_equation": r"=\s*(?:\?|$|\.\.|_)",
    "has_expression": r"\d\s*[-+*x×/÷]\s*[$£€]?\d",
    "bare_number": r"\d",
    "several_questions": r"\?[^?]+\?",
    "please": r"\bplease\b",
    "all_steps": r"\b(?:steps?|working|workings|solution|method|process|approach|strategy|calculations?)\b",
    "problem_word": r"\b(?:problem|question|exercise)\b",
    "answer_word": r"\banswer\b",
    "mean_word": r"\bmeans?\b",
    "only_word": r"\b(?:only|just)\b",
    "each_word": r"\b(?:each|every|per)\b",
    "total_word": r"\b(?:total|altogether|in all|combined|overall)\b",
    "left_word": r"\b(?:left|remain\w*|rest)\b",
}

MOVE_CUES: dict[str, re.Pattern[str]] = {name: re.compile(text, re.IGNORECASE) for name, text in _PATTERNS.items()}
"""Name → pattern; the names are features of the head."""

_COMMON = """
how many much what why when where which who would could can should do does did is are was were have has had will need
if so then now and but because not no yes all each every only also both more less than same after before first next last
again back still one two total number answer question problem step steps part work out find get got give make mean think
know see look try start use add multiply divide subtract times half double left remaining cost price day week hour total
them they he she it we you your i me let this that these those there in of for to from with by on at or as about into
per okay well good great right correct
"""
COMMON_WORDS = frozenset(_COMMON.split())
"""Plain words of English and of teaching, our own list: whether a reply has one is a feature of the head."""


@lru_cache(maxsize=256)
def cues_of(text: str) -> Mapping[str, float]:
    """Return 1 for each cue that a reply has, else 0; kept, since later turns of the dialogue ask again."""
    return {name: float(bool(pattern.search(text))) for name, pattern in MOVE_CUES.items()}
