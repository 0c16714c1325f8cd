"""Names of the languages that Whisper knows. In: a code, a tag or a name as people write it. Out: the code."""

from __future__ import annotations

from remembr_ros.errors import ConfigurationError

_TABLE = (
    "af afrikaans, am amharic, ar arabic, as assamese, az azerbaijani, ba bashkir, be belarusian, bg bulgarian, "
    "bn bengali, bo tibetan, br breton, bs bosnian, ca catalan, cs czech, cy welsh, da danish, de german, el "
    "greek, en english, es spanish, et estonian, eu basque, fa persian, fi finnish, fo faroese, fr french, gl "
    "galician, gu gujarati, ha hausa, haw hawaiian, he hebrew, hi hindi, hr croatian, ht haitian creole, hu "
    "hungarian, hy armenian, id indonesian, is icelandic, it italian, ja japanese, jw javanese, ka georgian, kk "
    "kazakh, km khmer, kn kannada, ko korean, la latin, lb luxembourgish, ln lingala, lo lao, lt lithuanian, lv "
    "latvian, mg malagasy, mi maori, mk macedonian, ml malayalam, mn mongolian, mr marathi, ms malay, mt maltese, "
    "my myanmar, ne nepali, nl dutch, nn nynorsk, no norwegian, oc occitan, pa punjabi, pl polish, ps pashto, pt "
    "portuguese, ro romanian, ru russian, sa sanskrit, sd sindhi, si sinhala, sk slovak, sl slovenian, sn shona, "
    "so somali, sq albanian, sr serbian, su sundanese, sv swedish, sw swahili, ta tamil, te telugu, tg tajik, th "
    "thai, tk turkmen, tl tagalog, tr turkish, tt tatar, uk ukrainian, ur urdu, uz uzbek, vi vietnamese, yi "
    "yiddish, yo yoruba, yue cantonese, zh chinese"
)
LANGUAGES: dict[str, str] = dict(entry.split(" ", 1) for entry in _TABLE.split(", "))
"""Code: English name, as in openai/whisper's tokenizer."""
OTHER_NAMES = {
    "deutsch": "de", "français": "fr", "francais": "fr", "español": "es", "espanol": "es", "castilian": "es",
    "mandarin": "zh", "jv": "jw", "nb": "no", "flemish": "nl", "farsi": "fa", "burmese": "my", "moldovan": "ro",
}  # fmt: skip
AUTOMATIC = ("", "auto", "detect")


def normalized_language(given: str, parameter: str = "asr.language") -> str:
    """`de` for "de", "DE", "de-AT", "German" or "Deutsch"; "" for "" and "auto". Raises
    ConfigurationError for others.
    """
    name = given.strip().lower().replace("_", "-")
    if name in AUTOMATIC:
        return ""
    by_name = {language: code for code, language in LANGUAGES.items()}
    for candidate in (name, name.split("-")[0]):
        code = by_name.get(candidate) or OTHER_NAMES.get(candidate) or candidate
        if code in LANGUAGES:
            return code
    raise ConfigurationError(
        f"{parameter}: {given!r} is no language that Whisper knows; a code such as en, de, fr, es, its English name, "
        "or empty (detect it) wanted"
    )
