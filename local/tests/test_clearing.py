"""Images and archives that no build needs any more go, and what the last ones need stays."""

import fcntl
import json

import pytest

from touchstone_local.cluster import building, clearing, installing, scaling
from touchstone_local.cluster.layout import Layout
from touchstone_local.errors import LocalError
from touchstone_runtime.building import locked


class Buildah:
    """A store of layers as buildah keeps it: an image's id, its names, and the file that takes its room."""

    def __init__(self, layout, monkeypatch):
        self._layers = layout.cache / "cluster" / "buildah" / "layers"
        self._layers.mkdir(parents=True)
        self.images = {}
        self.containers = ["left by a killed build"]
        self.refuses = False
        monkeypatch.setattr(building.Store, "_call", lambda _store, *words: self.call(*words))

    def hold(self, number, *names):
        self.images[number] = list(names)
        (self._layers / number).write_bytes(b"layer" * 200_000)

    def names(self):
        return sorted(name for names in self.images.values() for name in names)

    def call(self, *words):
        if words[0] == "images":
            return json.dumps([{"id": number, "names": names or None} for number, names in self.images.items()])
        if words[0] == "rm":
            self.containers.clear()
        if words[0] == "rmi":
            assert not self.containers
            if self.refuses:
                raise LocalError("image is in use", thing="buildah")
            for word in words[1:]:
                (number,) = [number for number, names in self.images.items() if word == number or word in names]
                # As buildah does: an image that has more names loses this one alone.
                self.images[number] = [name for name in self.images[number] if name != word]
                if not self.images[number]:
                    del self.images[number]
                    (self._layers / number).unlink()
        return ""


@pytest.fixture
def layout(tmp_path):
    return Layout(tmp_path / "state", tmp_path / "cache").create()


@pytest.fixture
def buildah(layout, monkeypatch):
    store = Buildah(layout, monkeypatch)
    store.hold("base", building.BASE)
    return store


def use(layout, buildah, tag):
    """Build a set of one image and of the demonstration, and use it."""
    name = f"{building.REGISTRY}/web:{tag}"
    made = {name: archive(layout, f"web-{tag}.tar"), building.DEMO: archive(layout, "demo.tar")}
    for number, each in ((f"image {tag}", name), (f"stage {tag}", building.stage_of(name)), ("demo", building.DEMO)):
        buildah.hold(number, each)
    clearing.note(layout, made)
    return {name, building.stage_of(name)}


def archive(layout, name):
    place = layout.cache / "cluster" / "images" / name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(b"image" * 200_000)
    return place


def archives(layout):
    return sorted(path.name for path in (layout.cache / "cluster" / "images").iterdir() if path.is_file())


def test_the_layers_of_the_two_sets_that_were_used_last_stay_and_the_archives_of_the_last(layout, buildah):
    first, second, third = (use(layout, buildah, tag) for tag in ("a", "b", "c"))
    # Of a build that was broken off, and of a set that was never noted.
    buildah.hold("broken off")
    buildah.hold("earlier", f"{building.REGISTRY}/web:earlier")
    archive(layout, "web-earlier.tar")
    left = layout.cache / "cluster" / "buildah" / "tmp" / "buildah1"
    left.mkdir(parents=True)
    archive(layout, "web-d.draft")
    archive(layout, "keda-v0.0.1.tar")
    archive(layout, scaling.archive(layout).name)
    told = []
    clearing.clear(layout, told.append)
    assert set(buildah.names()) == second | third | {building.BASE, building.DEMO}
    assert not first & set(buildah.names()) and "broken off" not in buildah.images
    assert not left.exists()
    assert archives(layout) == sorted(["demo.tar", scaling.archive(layout).name, "web-c.tar"])
    # Four images and five archives, of a megabyte each.
    assert told == ["0.01 GB came free: 4 images and 5 archives that nothing needs any more"]
    clearing.clear(layout, told.append)
    assert len(told) == 1


def test_a_set_that_is_used_again_is_the_last_one(layout, buildah):
    first = use(layout, buildah, "a")
    use(layout, buildah, "b")
    use(layout, buildah, "a")
    third = use(layout, buildah, "c")
    clearing.clear(layout, lambda _words: None)
    assert set(buildah.names()) == first | third | {building.BASE, building.DEMO}


def test_an_image_that_two_sets_name_loses_only_the_name_of_the_older(layout, buildah):
    name = f"{building.REGISTRY}/web:old"
    for tag in ("b", "c"):
        use(layout, buildah, tag)
    buildah.images["image c"].append(name)
    clearing.clear(layout, lambda _words: None)
    assert buildah.images["image c"] == [f"{building.REGISTRY}/web:c"]


def test_nothing_goes_while_images_are_built_or_while_nothing_tells_what_is_needed(layout, buildah):
    buildah.hold("old", f"{building.REGISTRY}/web:old")
    told = []
    clearing.clear(layout, told.append)
    for tag in ("a", "b"):
        use(layout, buildah, tag)
    archive(layout, "web-d.draft")
    with building.using(layout), building.using(layout):
        clearing.clear(layout, told.append)
    assert "old" in buildah.images and buildah.containers and "web-d.draft" in archives(layout)
    assert told == ["old images stay: another build is going on"]
    clearing.clear(layout, told.append)
    assert "old" not in buildah.images


def test_a_build_waits_while_old_images_go(layout, buildah):
    use(layout, buildah, "a")
    with (
        locked(building.lock(layout), fcntl.LOCK_EX),
        pytest.raises(BlockingIOError),
        locked(building.lock(layout), fcntl.LOCK_SH | fcntl.LOCK_NB),
    ):
        pass


def test_a_store_that_refuses_is_told_and_ends_nothing(layout, buildah):
    use(layout, buildah, "a")
    buildah.hold("broken off")
    buildah.refuses = True
    told = []
    clearing.clear(layout, told.append)
    assert told == ["old images stay: buildah: image is in use"]


def test_images_that_go_to_the_node_are_noted_and_those_of_another_release_take_nothing_away(
    layout, buildah, monkeypatch
):  # fmt: skip
    made = {image.name: archive(layout, f"{image.name}-x.tar") for image in building.IMAGES}
    monkeypatch.setattr(building, "build", lambda *_: made)
    monkeypatch.setattr(building, "build_demo", lambda *_: archive(layout, "demo.tar"))
    monkeypatch.setattr(installing, "_containerd", lambda *_words: "")
    buildah.hold("broken off")
    older = building.checkout()
    told = []
    installing.give_images(layout, told.append, older)
    assert "broken off" in buildah.images
    installing.give_images(layout, told.append)
    assert "broken off" not in buildah.images and archives(layout) == sorted(
        [*(p.name for p in made.values()), "demo.tar"]
    )
    assert "came free: 1 images and 0 archives" in told[-1]
