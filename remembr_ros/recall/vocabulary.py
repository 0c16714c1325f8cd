"""The words that the rules know: function words, colours, people, irregular forms. English, lower case, about no
place."""

# fmt: off
STOP_WORDS = frozenset([
    "a", "an", "the", "this", "that", "these", "those", "some", "any", "such", "own", "same", "other", "another",
    "there", "here", "it", "its", "itself", "i", "me", "my", "we", "us", "our", "you", "your", "he", "she",
    "they", "them", "his", "her", "their", "him", "is", "are", "was", "were", "be", "been", "being", "am", "do",
    "does", "did", "done", "doing", "have", "has", "had", "having", "can", "could", "will", "would", "shall",
    "should", "may", "might", "must", "and", "or", "but", "if", "then", "than", "so", "as", "of", "at", "by",
    "for", "with", "about", "into", "through", "during", "to", "from", "in", "on", "off", "over", "under",
    "again", "once", "only", "just", "very", "too", "not", "no", "nor", "what", "which", "who", "whom", "whose",
    "where", "when", "why", "how", "all", "both", "each", "few", "more", "most", "please", "ever", "now", "also",
    "one", "ones", "robot", "hey", "get", "got", "find", "found", "see", "saw", "seen", "seeing", "look",
    "looked", "looking", "notice", "noticed", "spot", "spotted", "observe", "observed", "pass", "passed",
    "remember", "recall", "encounter", "encountered", "come", "came", "across", "show", "tell", "know", "s", "t",
    "d", "ll", "m", "re", "ve", "thing", "things", "something", "anything", "kind", "type", "sort", "like",
    "many", "much", "wear", "wearing", "wore", "dressed", "stay", "stayed", "staying", "remain", "remained",
    "spend", "spent", "often", "around", "near", "nearby", "close", "closest", "nearest", "next", "first", "last",
    "time", "times", "ago", "go", "went", "visible", "happen", "happened", "happening", "happens", "idea", "count",
])
"""Words that carry no meaning of their own in a question about what was seen."""

COLOURS = frozenset([
    "red", "green", "blue", "yellow", "orange", "purple", "pink", "brown", "black", "white", "gray", "grey",
    "beige", "silver", "gold", "golden", "turquoise", "violet",
])

PEOPLE = frozenset([
    "man", "woman", "child", "boy", "girl", "guy", "lady", "gentleman", "pedestrian", "worker", "employee",
    "student", "visitor", "guard", "cyclist", "bicyclist", "kid",
])
"""What makes a caption speak of a person."""

NOTHING = frozenset([
    "nothing", "recognise", "recognize", "identify", "sure", "unsure", "certain", "unclear", "recognizable",
    "recognisable", "name",
])
"""What a caption consists of that says that nothing was recognised."""

IRREGULAR = {
    "people": "person", "persons": "person", "men": "man", "women": "woman", "children": "child", "stairs":
    "stair", "gray": "grey", "mice": "mouse", "feet": "foot", "knives": "knife", "shelves": "shelf", "drove":
    "drive", "stood": "stand", "sat": "sit",
}
# fmt: on
