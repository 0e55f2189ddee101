"""Wordings that tell what a tutor's sentence does: our own list, English, written without any data set's words.

Each cue is a name and a pattern; a reply has it or not. Nothing here counts for or against a reply by itself.
"""

from __future__ import annotations

import re

_PATTERNS: dict[str, str] = {
    # affirmation and praise
    "affirms_first": r"^\W*(?:great|good|excellent|nice|well done|correct|right|yes|yep|exactly|perfect|absolutely"
    r"|awesome|fantastic|wonderful|amazing|super|way to go|keep it up|that(?:'s| is) (?:right|correct|great|good|it"
    r"|exactly|absolutely|perfect)|you(?:'re| are| got| have got)(?: absolutely| exactly| all)? (?:right"
    r"|correct|it))\b",
    "praises": r"\b(?:great|good|excellent|nice|amazing|wonderful|fantastic|awesome|super|perfect|impressive"
    r"|brilliant)"
    r"\s+(?:job|work|effort|try|attempt|start|thinking|question|idea|approach|progress|going|catch|point"
    r"|observation)\b"
    r"|\bwell done\b|\bway to go\b|\bkeep it up\b|\bproud of\b|\bkeep up\b",
    "calls_right": r"(?<!not )(?<!n't )\b(?:that(?:'s| is)|you(?:'re| are)|it(?:'s| is)|answer is|absolutely|exactly"
    r"|totally)\s+(?:absolutely |exactly |quite |indeed |also |all |the )?(?:right|correct)\b|^\W*correct\b"
    r"|^\W*exactly\b"
    r"|\bcorrectly\b|\bright answer\b|\bspot on\b",
    "credits_effort": r"\b(?:appreciate|effort|good try|nice try|great try|good attempt|great attempt|trying"
    r"|hard work"
    r"|thank(?:s| you))\b",
    "credits_part": r"\b(?:on the right track|good start|great start|right idea|you(?:'re| are) (?:so |very |really "
    r"|almost |getting |nearly )?(?:close|there)|close|closer|almost|nearly|partly|good approach|first part"
    r"|so far)\b",
    # correction
    "corrects": r"\b(?:not quite|not (?:exactly|right|correct|quite|the|what|how|a)|isn't|is not|aren't|wasn't"
    r"|doesn't"
    r"|does not|don't|didn't|did not|shouldn't|should not|cannot|can't|incorrect|wrong|mistake|mistakes|error|errors"
    r"|mix-?up|misunderst\w+|misread\w*|miscalculat\w+|misinterpret\w*|confus\w+|overlook\w*|miss(?:ed|ing)|forgot\w*"
    r"|double-?count\w*|mixed up|slip|instead|rather than|too (?:high|low|many|much|few|small|big|large)|no,)\b",
    "contrasts": r"\b(?:but|however|though|although|yet|while|whereas|except|still)\b",
    "says_actually": r"\b(?:actually|in fact|really|truth)\b",
    "names_mistake": r"\b(?:mistake|mistakes|error|errors|mix-?up|misunderst\w+|miscalculat\w+|confusion"
    r"|incorrect|wrong)\b",
    "doubts": r"\b(?:are you sure|sure (?:about|that)|is that (?:your|right|correct)|does (?:that|this"
    r"|it) (?:make sense|seem"
    r"|look|sound)|do you (?:really )?think)\b",
    "asks_recheck": r"\b(?:re-?check|double-?check|check (?:your|the|that|again|it)|try again|another (?:go|try|look)"
    r"|one more time|look (?:again|back)|closer look|re-?(?:read|visit|view|think|evaluate|examine|calculate"
    r"|consider|do))\b",
    "softens": r"\b(?:might|may|maybe|perhaps|seems?|looks? like|i think|a (?:little|small|bit)|slight\w*"
    r"|possibl[ye])\b",
    # what is asked and told
    "asks_quantity": r"\b(?:how (?:many|much|long|far|old|fast|tall|big|often|heavy)|what(?:'s| is| are| was"
    r"| would| will| do"
    r"| does| did)?(?: the| your)?(?: new| total| right| correct)? ?(?:\w+ )?(?:number|amount|value|total|cost"
    r"|price|sum"
    r"|difference|product|result|answer|remainder|half|percent\w*|rate|speed|time|distance|weight|area|length))\b",
    "asks_what": r"\bwhat\b",
    "asks_how": r"\bhow\b",
    "asks_how_many": r"\bhow (?:many|much)\b",
    "asks_why": r"\bwhy\b|\bwhat makes you\b|\breason",
    "asks_where_which": r"\b(?:where|which|who|when)\b",
    "asks_explain": r"\b(?:explain|walk me|talk me|tell me|show me|describe|how did you|how do you|what did you do"
    r"|your (?:thinking|reasoning|steps|method))\b",
    "asks_can_you": r"\b(?:can|could|would|will) you\b",
    "asks_do_you": r"\b(?:do|did|does|have|are) (?:you|we|they|he|she|it)\b",
    "asks_tag": r"\b(?:right|correct|okay|ok|does that make sense|make sense|understand|agree|ready)\s*\?\s*$",
    "lets": r"\blet'?s\b|\blet us\b",
    "lets_work": r"\blet'?s (?:try|think|look|see|go|take|start|focus|break|work|calculate|find|solve|consider"
    r"|re\w+)\b",
    "lets_move_on": r"\b(?:let'?s|we can|now|you can) (?:move|go|proceed|continue|try|practice|work|explore|do"
    r"|solve)\b"
    r".{0,20}\b(?:on|next|another|similar|more|different|new|other)\b",
    "next_problem": r"\b(?:similar|another|next|new|different|more (?:complex|challenging)) (?:problem|question"
    r"|example"
    r"|exercise|equation|topic|one)s?\b|\bpractice\b|\breinforce\b|\bkeep (?:going|practi\w+)\b",
    "reminds": r"\b(?:remember|recall|keep in mind|don't forget|note that|notice|recap|as you know)\b",
    "asks_to_think": r"\b(?:think (?:about|of|again|carefully)|consider|imagine|suppose|picture|pretend)\b",
    "gives_hint": r"\b(?:hint|clue|tip|trick|try (?:to|using|adding|subtracting|multiplying|dividing|counting|writing"
    r"|thinking|drawing)|one way|another way|a way)\b",
    "gives_example": r"\b(?:for example|for instance|e\.g|such as|like if|say you|just like|similar to)\b",
    "sets_if": r"\b(?:if|suppose|say|imagine|when)\b",
    "explains_why": r"\b(?:because|since|so that|therefore|that means|which means|this means|means|thus|hence"
    r"|as a result)\b",
    "concludes_so": r"^\W*so\b|[.,;] so\b|\bthen\b",
    "instructs_we": r"\b(?:we|you) (?:need|have|should|must|want|can|could|would|will)(?: to)?\b",
    "should_be": r"\b(?:should (?:be|have)|supposed to|needs? to be|would be|must be|has to be|ought)\b",
    "tells_rule": r"\b(?:formula|rule|always|never|property|definition|by definition|order of operations"
    r"|convert\w*)\b",
    "first_then": r"\b(?:first|second|third|next|then|finally|start by|starting|begin|after that|step)\b",
    "step_by_step": r"\bstep[- ]by[- ]step\b|\bbreak (?:it|this|the \w+) ?down\b|\bone (?:step|thing"
    r"|part) at a time\b",
    "names_operation": r"\b(?:add\w*|plus|subtract\w*|minus|multipl\w+|times|divid\w+|sum|product|difference|quotient"
    r"|double|half|halve|percent\w*|fraction)\b",
    "operation_gerund": r"\b(?:adding|subtracting|multiplying|dividing|doubling|counting|rounding|converting)\b",
    "refers_to_you": r"\byou(?:'ve| have|'re| are| did| said| got| used| found| calculated| added| multiplied"
    r"| divided"
    r"| subtracted| wrote| mentioned| counted| assumed)\b",
    "says_you_did": r"\byou (?:said|got|used|found|calculated|added|multiplied|divided|subtracted|wrote|counted"
    r"|assumed"
    r"|took|put|forgot|missed|included|started|did|have|'ve|need)\b|\byou've\b",
    "says_your": r"\byour\b",
    "says_i": r"\bi\b",
    "i_see": r"\bi (?:see|understand|can see|get|know|like|notice)\b",
    "says_we": r"\bwe\b|\bus\b|\bour\b",
    "says_me": r"\bme\b",
    "says_this": r"\b(?:this|that|these|those|it)\b",
    "question_asks": r"\b(?:question|problem|asked|asks|asking|wants|given|states?|says|told|text|tells)\b",
    "about_answer": r"\banswer\b|\bsolution\b|\bresult\b",
    "about_calculation": r"\b(?:calculat\w+|comput\w+|equation|solve\w*|expression|arithmetic|work(?:ed"
    r"|ing)? (?:out|it))\b",
    "about_total": r"\b(?:total|altogether|in all|combined|sum|together|both|all|each|every|per)\b",
    "about_rest": r"\b(?:left|remaining|rest|remainder|leftover|difference|already|before|after|only"
    r"|original\w*|initial\w*)\b",
    "about_part": r"\b(?:part|half|third|quarter|fraction|portion|percent\w*|share|group\w*|times as|twice)\b",
    "about_units": r"\b(?:unit\w*|hours?|minutes?|seconds?|days?|weeks?|months?|years?|dollars?|cents?|feet"
    r"|inch\w*|miles?"
    r"|pounds?|ounces?|gallons?|grams?|kg|cm|meters?|metres?)\b",
    "about_steps": r"\b(?:step|part|approach|method|process|way|reasoning|thought|thinking|logic|strategy)\b",
    "comprehension": r"\b(?:understand\w*|understood|concept|make sense|makes sense|clear|clarify\w*|see what)\b",
    "imperative_first": r"^\W*(?:try|look|check|think|find|calculate|count|write|draw|multiply|divide|add"
    r"|subtract|read"
    r"|use|take|start|solve|remember|recall|consider|tell|show|explain|imagine|note|please)\b",
    "imperative_later": r"(?:[.,;!] |and |then |please )(?:try|look|check|think|find|calculate|count|write|draw"
    r"|multiply"
    r"|divide|add|subtract|read|use|take|start|solve|remember|recall|consider|tell|show|explain)\b",
    "invites": r"\b(?:can you|could you|would you|try|give it|have a go|go ahead|your turn|what do you think"
    r"|what if)\b",
    "opens_but": r"^\W*(?:but|however|actually|although|though)\b",
    "opens_soft": r"^\W*(?:okay|ok|well|so|now|hmm|ah|oh|sorry|sure|alright|i see)\b",
    "apologises": r"\b(?:sorry|apolog\w+|no worries|not to worry|don't worry|it's okay|that's okay)\b",
    "says_can": r"\b(?:can|could|able)\b",
    "negates": r"n't\b|\bnot\b|\bno\b|\bnever\b|\bwithout\b",
    "compares": r"\b(?:more|less|fewer|than|same|equal\w*|different|bigger|smaller|larger|higher|lower)\b",
    "only_once": r"\b(?:only|just|once|twice|both|already|again|also|too|either)\b",
    "stage_note": r"\b(?:tutor response|as a tutor|response:|note:|instruction|student's|the student|here'?s a)\b",
    "exclaims": r"!",
    "quotes": r"[\"“”]|'[a-z ]{4,}'",
    "dash_question": r"[-–—]\s*(?:how|what|can|could|do|does|is|are|should|why|which|shouldn't|isn't)\b[^?]*\?",
    "isnt_it_question": r"\b(?:isn't|aren't|shouldn't|wouldn't|don't|doesn't|didn't|haven't)\b[^.!]*\?",
    "and_then_question": r"\b(?:so|and|now|then|if)\b[^.!?]*\?",
}

CUES: dict[str, re.Pattern[str]] = {name: re.compile(pattern, re.IGNORECASE) for name, pattern in _PATTERNS.items()}
"""Name → pattern; the names are the features of the heads."""


def read_cues(reply: str) -> dict[str, bool]:
    """Return cue → whether the reply has it."""
    text = reply.strip().strip("\"'“”").replace("’", "'")
    return {name: bool(pattern.search(text)) for name, pattern in CUES.items()}
