"""Forty more replies for the gate, on other problems and in other words, written and kept before they were ever scored.

Their figures on the first run stand in docs/design/critic.md. Nothing may be tuned to one of them: where they show a
class of fault, the class is mended and the set has seen its last first run.
"""

from __future__ import annotations

from tests.unit.planted_replies import Moment, reviewed_at

from preceptor.domain.dialogue import Turn
from preceptor.domain.problem import Problem
from preceptor.experience.critic import ReviewedTurn

PROBLEMS = {
    "tram": Problem(
        problem_id="tram",
        text="A tram leaves the depot with 28 passengers. At the market 8 get off and 14 get on. At the museum half of "
        "the passengers get off. How many are still on the tram?",
        solution="After the market 28 - 8 = 20 passengers remain\nWith the new ones there are 20 + 14 = 34 passengers\n"
        "After the museum 34 / 2 = 17 passengers are left",
        answer="17",
    ),
    "garden": Problem(
        problem_id="garden",
        text="Oskar's rectangular garden is 12 metres long and 7 metres wide. He fences it all around, but leaves a "
        "gate of 2 metres open. A metre of fence costs 5 dollars. What does the fence cost?",
        solution="All around it is 2 * 12 + 2 * 7 = 38 metres\nWithout the gate there are 38 - 2 = 36 metres of fence\n"
        "The fence costs 36 * 5 = 180 dollars",
        answer="180",
    ),
    "coat": Problem(
        problem_id="coat",
        text="A coat costs 80 dollars. In the sale it is 25% cheaper. Lena also pays 6 dollars for the delivery. "
        "How much does she pay in all?",
        solution="The discount is 80 * 0.25 = 20 dollars\nThe coat then costs 80 - 20 = 60 dollars\n"
        "With the delivery she pays 60 + 6 = 66 dollars",
        answer="66",
    ),
    "soup": Problem(
        problem_id="soup",
        text="A soup for 4 people needs 6 carrots and 2 litres of water. Anton cooks for 10 people. How many carrots "
        "does he need?",
        solution="One person needs 6 / 4 = 1.5 carrots\nTen people need 1.5 * 10 = 15 carrots",
        answer="15",
    ),
    "cousins": Problem(
        problem_id="cousins",
        text="Mira is 4 years older than Tomas. Tomas is twice as old as Ida. Ida is 7. How old is Mira?",
        solution="Tomas is 2 * 7 = 14 years old\nMira is 14 + 4 = 18 years old",
        answer="18",
    ),
}
MOMENTS = {
    "tram_all_off": Moment(
        problem="tram", utterance="8 + 14 = 22 get off. 28 - 22 = 6, half of 6 is 3. So 3 are left."
    ),
    "tram_not_halved": Moment(problem="tram", utterance="28 - 8 = 20 and 20 + 14 = 34, so there are 34 people on it."),
    "garden_one_side": Moment(problem="garden", utterance="12 + 7 = 19. 19 - 2 = 17. 17 * 5 = 85 dollars."),
    "garden_area": Moment(problem="garden", utterance="12 * 7 = 84, then 84 * 5 = 420 so the fence is 420 dollars"),
    "coat_minus_25": Moment(problem="coat", utterance="80 - 25 = 55 and then 55 + 6 = 61. She pays 61 dollars."),
    "coat_lost": Moment(problem="coat", utterance="I have no idea what to do with the percent, I'm totally lost."),
    "soup_added": Moment(problem="soup", utterance="There are 6 more people, so 6 + 6 = 12 carrots."),
    "soup_again": Moment(
        problem="soup",
        utterance="still 12, because 6 + 6 = 12 carrots",
        history=(Turn(learner="6 + 6 = 12 carrots", tutor="Is it really one more carrot for each more person?"),),
    ),
    "cousins_halved": Moment(problem="cousins", utterance="7 / 2 = 3.5, so Tomas is 3.5. Mira is 3.5 + 4 = 7.5."),
    "cousins_angry": Moment(problem="cousins", utterance="this is stupid, I hate word problems!! is it 7 + 4 = 11?"),
}

BAD: tuple[tuple[str, str, str], ...] = (
    ("dump", "tram_not_halved", "You still have to halve the 34, and half of 34 is 17, so seventeen people stay on."),
    ("dump", "garden_one_side", "The perimeter is 38, take away 2 for the gate, that's 36, and 36 times 5 makes 180."),
    ("dump", "coat_minus_25", "25% of 80 is 20, so the coat is 60 and with delivery it comes to 66 dollars."),
    ("dump", "soup_again", "Each person eats 1.5 carrots, so for ten it has to be 15 carrots. Write that down."),
    ("dump", "cousins_angry", "Sorry this is annoying! Tomas is 14, so Mira must be 18. Now you know how it goes."),
    ("pseudo", "tram_all_off", "If 8 get off, how many stay? 28 - 8 is 20. Then 14 get on, which makes 34, right?"),
    ("pseudo", "garden_area", "What is the length all around? It's 12 + 7 + 12 + 7 = 38 metres. Got it?"),
    ("pseudo", "coat_lost", "Do you know what 25% of 80 is? It's 20, since a quarter of 80 is 20. OK?"),
    ("pseudo", "soup_added", "How much does one person eat? 6 / 4 = 1.5 carrots. Do you agree?"),
    ("pseudo", "cousins_halved", "What is twice 7? Twice 7 is 14, so Tomas is 14. Do you see?"),
    ("wrong_step", "tram_not_halved", "You went wrong at 28 - 8. Check how many passengers leave at the market."),
    ("wrong_step", "garden_area", "Your error is in 84 * 5. Work that multiplication out again."),
    ("wrong_step", "coat_minus_25", "The delivery must not be added, so 55 + 6 is the wrong step. Fix that one."),
    ("wrong_step", "cousins_halved", "Let's look at fractions: to add them you need a common denominator."),
    ("wrong_step", "soup_added", "A prime number has exactly two divisors. Can you list the primes up to 20?"),
    ("praise_wrong", "tram_all_off", "Super, 3 is exactly what I have too. On to the next one!"),
    ("praise_wrong", "garden_one_side", "Yes! You solved it perfectly, 85 dollars it is."),
    ("praise_wrong", "garden_area", "That's right, length times width is how you get the fence."),
    ("praise_wrong", "coat_minus_25", "Correct, taking 25 off the price was a very smart idea."),
    ("praise_wrong", "cousins_halved", "Well reasoned, every step of yours is fine. Want another riddle?"),
    ("fake_empathy", "coat_lost", "Aww, percentages are hard for everybody. You've got this, champ!"),
    ("fake_empathy", "cousins_angry", "I totally feel you. Breathe in, breathe out, and give it another shot!"),
    ("fake_empathy", "soup_again", "I love how you never give up! Stay positive and it will come to you."),
    ("fake_empathy", "tram_all_off", "What a wonderful attitude you have. I'm sure you'll crack it soon!"),
)

GOOD: tuple[tuple[str, str], ...] = (
    ("tram_all_off", "Watch the 14 at the market: do those passengers step out of the tram or into it?"),
    ("tram_all_off", "Hold on, you let 22 people leave. Who of the 8 and the 14 really leaves the tram at the market?"),
    (
        "tram_not_halved",
        "34 leaves the market stop, I agree. The ride isn't over yet, though: what happens at the museum?",
    ),
    ("tram_not_halved", "Nice bookkeeping up to 34. Which sentence of the story have you not used so far?"),
    ("garden_one_side", "Walk around the garden with me: how many sides do you pass, and how long is each of them?"),
    ("garden_one_side", "You've got one long side and one short side in that 19. Does the fence stop there?"),
    ("garden_area", "84 tells us how much grass fits inside. What do we measure when we put a fence around it?"),
    ("garden_area", "Multiplying 12 by 7 gives the area. If an ant crawled along the fence, how far would it go?"),
    ("coat_minus_25", "Is 25% the same thing as 25 dollars? What would 25% off a coat of 100 dollars be?"),
    ("coat_minus_25", "Adding the 6 is fine. But look at the sign after the 25: what part of 80 dollars is it?"),
    ("coat_lost", "Percent is a nasty little word, I get that. Start smaller: how much is half of the 80 dollars?"),
    ("coat_lost", "That's okay, let's leave the delivery aside. If 100% is 80 dollars, how many dollars are 50%?"),
    (
        "soup_added",
        "If 4 people share 6 carrots, would 4 more people be happy with just 4 carrots? How many do they need?",
    ),
    ("soup_again", "Let's try it with a table: 4 people, 6 carrots. What stands in the next row, for 8 people?"),
    ("cousins_halved", "Read that line aloud: Tomas is twice as old as Ida. So which of the two is the older one?"),
    ("cousins_angry", "I hear you, these stories are tangled. Ida is 7. What does the text say about Tomas and Ida?"),
)


def reviewed(moment: str, reply: str) -> ReviewedTurn:
    """Return one planted reply at its moment."""
    return reviewed_at(MOMENTS[moment], PROBLEMS[MOMENTS[moment].problem], reply)
