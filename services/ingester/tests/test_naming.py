"""Sources by their names: of one package there is one, and no address with a secret in it is taken."""

import pytest

from ingester.errors import SourceRefusedError

SECRET = "s3cret"


@pytest.mark.parametrize(
    "address",
    [
        f"https://me:{SECRET}@git.example/x.git",
        f"https://{SECRET}@git.example/x.git",
        f"  HTTPS://me:{SECRET}@git.example/x.git",
        f"http://me:a@{SECRET}@git.example:8080/x.git",
        f"ssh://git:{SECRET}@git.example/x.git",
        f"git+https://me:{SECRET}@git.example/x.git",
    ],
)
async def test_an_address_with_a_secret_in_it_is_refused_and_not_told(world, address):
    with pytest.raises(SourceRefusedError, match="TOUCHSTONE_GIT_TOKEN") as raised:
        await world.ingestion.add("git", address)
    assert SECRET not in str(raised.value) and await world.store.sources() == []


@pytest.mark.parametrize(
    "address", ["https://git.example/x.git", "ssh://git@git.example/x.git", "https://git.example/a@b.git"]
)
async def test_an_address_without_one_is_taken(world, address):
    assert (await world.ingestion.add("git", address)).name == address


@pytest.mark.parametrize(
    ("kind", "spellings"),
    [
        ("package", ["Bolt.Ons", "bolt-ons", " bolt_ons ", "BOLT--ons", "Bolt.Ons"]),
        ("git", ["https://git.example/A.git", " https://git.example/A.git\n"]),
    ],
)
async def test_a_source_is_followed_once_however_it_is_spelled(world, kind, spellings):
    added = [await world.ingestion.add(kind, each) for each in spellings]
    assert {each.source_id for each in added} == {added[0].source_id}
    assert [each.name for each in await world.store.sources()] == [spellings[0]]
    # Another revision is another source.
    other = await world.ingestion.add(kind, spellings[1], revision="v2")
    assert other.source_id != added[0].source_id and other.revision == "v2"


async def test_addresses_that_differ_are_two(world):
    one, other = [await world.ingestion.add("git", f"https://git.example/{name}.git") for name in ("a.b", "A.b")]
    assert one.source_id != other.source_id
