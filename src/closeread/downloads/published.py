"""Records of published sets: addresses, checksums, sizes and terms."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Member:
    """One file to extract from an archive.

    Attributes:
        inside: Its path in the archive.
        name: Its path under the target folder.
        examples: How many questions it must hold; None if its publishers do not say.
    """

    inside: str
    name: str
    examples: int | None = None


@dataclass(frozen=True, kw_only=True)
class PublishedFile:
    """One file of a set.

    Attributes:
        name: Its path under the target folder.
        addresses: Its URLs, the official one first; none if it must be downloaded by hand.
        md5: As published; "" if there is none.
        sha256: As published, or of the file at a named commit; "" if there is none.
        examples: How many questions ``closeread.load`` must find in it (rows without a label
            do not count); None if its publishers do not say.
        members: For an archive, the files to extract.
        license: Its own terms, if they differ from those of the set.
        citation: Its own paper, if it differs from that of the set.
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
        """The last part of the name without its endings, which identifies the file in its set."""
        return self.name.rpartition("/")[2].split(".json")[0].removesuffix(".zip")


@dataclass(frozen=True, kw_only=True)
class PublishedSet:
    """A set under one name, with its terms and its paper.

    Attributes:
        by_hand: Where a person gets it and under which terms, if no program may download it.
    """

    description: str
    license: str
    citation: str
    files: tuple[PublishedFile, ...]
    by_hand: str = ""


def github_addresses(repository: str, commit: str, path: str) -> tuple[str, ...]:
    """Return the addresses of a file of a public repository at a commit."""
    return (
        f"https://raw.githubusercontent.com/{repository}/{commit}/{path}",
        f"https://cdn.jsdelivr.net/gh/{repository}@{commit}/{path}",
        f"https://github.com/{repository}/raw/{commit}/{path}",
    )


def archive_address(address: str) -> str:
    """Return the address of the Internet Archive's copy of an address, if it has one."""
    return f"https://web.archive.org/web/2024id_/{address}"
