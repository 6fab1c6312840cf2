"""What is compared: a profile with some settings changed."""

from collections.abc import Sequence

from app.settings import DEFAULT_PROFILE, Settings, load_settings, profiles
from storage.errors import UsageError
from storage.record import Record

_AFRESH = "answers.cache=false"  # seconds and cost of an answer given again would be nobody's


class Variant(Record):
    """A profile and settings on top of it, under the name that people typed."""

    name: str
    profile: str
    overrides: tuple[str, ...] = ()

    def settings(self, common: Sequence[str] = ()) -> Settings:
        """Its settings, on top of those that all variants share.

        Raises:
            UsageError: the profile or a setting is not known; names the variant.
        """
        try:
            return load_settings(self.profile, [_AFRESH, *common, *self.overrides])
        except UsageError as error:
            raise UsageError(f"--variant {self.name!r}: {error}") from error


def parse_variant(text: str, profile: str = DEFAULT_PROFILE) -> Variant:
    """A variant from "profile", "profile,section.key=value,…" or settings alone, over `profile`.

    Raises:
        UsageError: something after the profile is no setting.
    """
    first, *rest = (part.strip() for part in text.split(","))
    chosen, overrides = (profile, [first, *rest]) if "=" in first else (first, rest)
    for part in overrides:
        if "=" not in part:
            raise UsageError(f"--variant {text!r}: {part!r} is no setting; expected section.key=value")
    return Variant(name=", ".join([chosen, *overrides]), profile=chosen, overrides=tuple(overrides))


def variants_named(
    texts: Sequence[str], all_profiles: bool, profile: str = DEFAULT_PROFILE
) -> tuple[Variant, ...]:
    """The variants typed, each once, and with `all_profiles` every profile after them.

    Raises:
        UsageError: there are none, or one cannot be understood.
    """
    named = [parse_variant(text, profile) for text in texts]
    named += [Variant(name=p.name, profile=p.name) for p in profiles()] if all_profiles else []
    if not named:
        raise UsageError("nothing to compare: give --variant, several times, or --all-profiles")
    return tuple({variant.name: variant for variant in reversed(named)}.values())[::-1]
