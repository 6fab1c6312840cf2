"""The profiles that can be chosen in the chat, and where each sends what it reads. No Chainlit here."""

from collections.abc import Callable, Mapping

from app.privacy import hosts_of, privacy
from app.readiness import needs
from app.settings import Settings, profiles
from storage.record import Record

SettingsOf = Callable[[str], Settings]
"""A profile's settings in this process."""


class ProfileOffer(Record):
    """A profile that can be used here; `hosts` are the other machines that it sends text to."""

    name: str
    description: str
    hosts: tuple[str, ...]

    @property
    def privacy(self) -> str:
        """Where questions and pages go, in one sentence."""
        return privacy(self.hosts)


def profile_offers(
    first: str, settings_of: SettingsOf, environment: Mapping[str, str]
) -> tuple[ProfileOffer, ...]:
    """The profiles that lack nothing here, and the one the chat was started with, which comes first."""
    known = sorted(profiles(), key=lambda profile: profile.name != first)
    offers = []
    for profile in known:
        settings = settings_of(profile.name)
        if profile.name == first or not needs(settings, environment):
            hosts = hosts_of(settings, environment)
            offers.append(ProfileOffer(name=profile.name, description=profile.description, hosts=hosts))
    return tuple(offers)
