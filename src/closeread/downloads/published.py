"""What is known about a published set: where it lies, its sums, its size, its terms."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Member:
    """One file to be taken out of an archive.

    Attributes:
        inside: Its path in the archive.
        name: The path it gets under the target folder.
        examples: How many questions it must hold; None where its publishers do not say.
    """

    inside: str
    name: str
    examples: int | None = None


@dataclass(frozen=True, kw_only=True)
class PublishedFile:
    """One file of a set.

    Attributes:
        name: The path it gets under the target folder.
        addresses: Where it lies, the official place first; none where it is fetched by hand.
        md5: As published; "" where no such sum is.
        sha256: As published, or of the file at a named commit; "" where no such sum is.
        examples: How many questions ``closeread.load`` must find in it (rows without a label
            do not count); None where its publishers do not say.
        members: For an archive, what is taken out of it.
        license: Its own terms, where they differ from those of the set.
        citation: Its own paper, where it differs from that of the set.
    """

    name: str
    addresses: tuple[str, ...] = ()
    md5: str = ""
    sha256: str = ""
    examples: int | None = None
    members: tuple[Member, ...] = ()
    license: str = ""
    citation: str = ""

    @property
    def stem(self) -> str:
        """The last part of the name without its endings, which singles the file out."""
        return self.name.rpartition("/")[2].split(".json")[0].removesuffix(".zip")


@dataclass(frozen=True, kw_only=True)
class PublishedSet:
    """A set under one name, with the terms and the paper that come with it.

    Attributes:
        by_hand: Where a person gets it and under which terms, for sets that no program may fetch.
    """

    description: str
    license: str
    citation: str
    files: tuple[PublishedFile, ...]
    by_hand: str = ""


def github_addresses(repository: str, commit: str, path: str) -> tuple[str, ...]:
    """Return the addresses of one file of a public repository at one commit."""
    return (
        f"https://raw.githubusercontent.com/{repository}/{commit}/{path}",
        f"https://cdn.jsdelivr.net/gh/{repository}@{commit}/{path}",
        f"https://github.com/{repository}/raw/{commit}/{path}",
    )


def archive_address(address: str) -> str:
    """Return where the Internet Archive keeps the bytes of an address, if it took them."""
    return f"https://web.archive.org/web/2024id_/{address}"
