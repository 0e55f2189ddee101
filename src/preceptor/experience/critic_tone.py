"""How a reply sounds: cheering, acknowledging, harsh, or calling everything right. Our own wordings, English."""

from __future__ import annotations

import re

FLATLY_RIGHT = re.compile(
    r"\b(?:your (?:answer|work|working|calculation|solution|reasoning|result"
    r"|steps?)\b[^.!?]{0,40}\bis (?:all )?(?:absolutely |"
    r"completely |exactly )?(?:right|correct|perfect)|everything is (?:right|correct)|you (?:got|solved) (?:it|this)"
    r"|all (?:of )?your (?:steps|work)\b[^.!?]{0,20}\bcorrect)\b",
    re.IGNORECASE,
)
CHEERS = re.compile(
    r"\b(?:you(?:'re| are) (?:so |very |really |such )?(?:a star|smart|amazing|awesome|brilliant|the best"
    r"|a genius|doing"
    r" (?:great|well|fine|amazing|fantastic))|you can do (?:it|this)|(?:i )?believe in you|don't (?:worry"
    r"|give up)|keep going"
    r"|keep trying|never give up|i know (?:how )?(?:hard|you|this)|i understand (?:how|that|your)|proud of you"
    r"|everyone makes mistakes|it's (?:okay|ok|fine) to)\b",
    re.IGNORECASE,
)
ACKNOWLEDGES = re.compile(
    r"\b(?:frustrat\w+|tricky|tough|confusing|hard one|it's (?:okay|ok|fine|normal|alright|all right)"
    r"|that's (?:okay|ok|fine"
    r"|normal|alright|all right)|no (?:worries|problem|rush)|don't worry|take your time|i (?:can )?(?:see|hear"
    r"|understand|get)"
    r" (?:why|how|that|it|this|you)|makes sense (?:that|to)|easy to (?:mix|miss|lose|get)|lots of (?:people"
    r"|learners|students)"
    r"|many (?:people|learners|students)|let's slow down|together|one (?:piece|bit|step|thing|part) at a time"
    r"|fair (?:enough|point)"
    r"|thanks? (?:you )?for (?:saying|telling|asking)|good (?:that you|question))\b",
    re.IGNORECASE,
)
HARSH = re.compile(
    r"\b(?:stupid|dumb|lazy|ridiculous|obvious(?:ly)?|how can you not|i (?:already|just) told you|pay attention"
    r"|pathetic"
    r"|nonsense|careless(?:ly)?|come on|how many times|terrible|awful|not even trying)\b",
    re.IGNORECASE,
)


def read_tone(reply: str) -> dict[str, bool]:
    """Return tone → whether the reply has it."""
    text = reply.replace("’", "'")
    return {
        "calls_right_flatly": FLATLY_RIGHT.search(text) is not None,
        "cheers": CHEERS.search(text) is not None,
        "acknowledges": ACKNOWLEDGES.search(text) is not None,
        "harsh": HARSH.search(text) is not None,
    }
