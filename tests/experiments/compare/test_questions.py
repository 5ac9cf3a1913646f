"""The questions of users."""

from comparisons import content, cube

from experiments.compare.cube import Cube
from experiments.compare.questions import Topic, by_topic


def test_every_topic_has_answers():
    """A comparison of structures with what people would use instead answers questions of every topic."""
    told = content()
    told["sets"]["iris"]["rows"] = told["sets"]["wine"]["rows"] = 1500
    answers = by_topic(Cube.of(told))
    assert all(answers[topic] for topic in Topic)
    assert all(sentence.decided for sentences in answers.values() for sentence in sentences)
    shapes = [sentence.question for sentence in answers[Topic.SHAPE]]
    assert shapes == ["With fewer than 500 rows?", "With 1000 rows or more?", "With at most 16 features?"]


def test_two_schemes_on_one_set_have_one_answer_each():
    """What a user with one CSV file gets."""
    answers = by_topic(cube(sets=("iris",), schemes=("max_wins", "forest")))
    assert [sentence.question for sentence in answers[Topic.ACCURACY]] == ["`forest` or `max_wins` on iris?"]
    assert len(answers[Topic.TIME]) == 1
    assert not answers[Topic.SHAPE]


def test_two_classes_need_no_structure():
    """Sets of two classes are left out of the comparison of structures."""
    told = content()
    for name in ("iris", "wine"):
        told["sets"][name]["classes"] = 2
    (sentence,) = (
        s for s in by_topic(Cube.of(told))[Topic.STRUCTURE] if s.question == "Is `ddag` better than `max_wins`?"
    )
    assert "on 0 of 2 sets that count and lower on 2" in sentence.answer
