"""People's opinions in memory: the fake of `annotator.ports.reviews.Reviews`."""

from __future__ import annotations

from collections import Counter


class MemoryReviews:
    """Opinions in dictionaries beside `MemoryLabels`, with the port's rules."""

    def __init__(self, labels):
        self.labels = labels
        self.kept = {}
        self.decided = {}

    async def next_pair(self, reviewer):
        def place(label):
            begun = bool(self.kept.get(label.pair.pair_id))
            disputed = None not in (label.audit, label.label) and label.audit != label.label
            kind = [begun, disputed, label.label is None, label.score is not None, True].index(True)
            doubt = abs(label.score - 0.5) if kind == 3 else 0.0
            age = -label.labelled_at.timestamp() if kind in (1, 2) else 0.0
            return kind, doubt, age, label.pair.pair_id

        waiting = [
            label
            for label in self.labels.current().values()
            if label.decided_by != "person"
            and not label.pair.on_demand
            and len(self.kept.get(label.pair.pair_id, {})) < 2
            and reviewer not in self.kept.get(label.pair.pair_id, {})
        ]
        return min(waiting, key=place, default=None)

    async def next_dispute(self, reviewer):
        for pair_id, of_pair in sorted(self.kept.items()):
            differ = len({review.opinion for review in of_pair.values()}) > 1
            if len(of_pair) == 2 and differ and reviewer not in of_pair and pair_id not in self.decided:
                return pair_id
        return ""

    async def of_pair(self, pair_id):
        return [review for _, review in sorted(self.kept.get(pair_id, {}).items())]

    async def add(self, review):
        of_pair = self.kept.setdefault(review.pair_id, {})
        if len(of_pair) < 2:
            of_pair.setdefault(review.reviewer, review)
        return await self.of_pair(review.pair_id)

    async def adjudicate(self, review):
        return self.decided.setdefault(review.pair_id, review)

    async def decision(self, pair_id):
        return self.decided.get(pair_id)

    async def unsettled(self):
        settled = [
            pair_id
            for pair_id, of_pair in sorted(self.kept.items())
            if len(of_pair) == 2
            and (len({review.opinion for review in of_pair.values()}) == 1 or pair_id in self.decided)
        ]
        return [pair_id for pair_id in settled if (pair_id, "person-review") not in self.labels.rows]

    async def figures(self):
        both = [tuple(review.opinion for review in await self.of_pair(name)) for name in sorted(self.kept)]
        compared, decided = [], 0
        for (pair_id, method), row in self.labels.rows.items():
            if method == "person-review":
                decided += 1
                of_methods = [other for (name, _), other in self.labels.rows.items() if name == pair_id]
                [*_, before] = [other for other in of_methods if other.decided_by != "person"]
                if None not in (row.label, before.label):
                    compared.append((row.label, before.label))
        return Counter(each for each in both if len(each) == 2), Counter(compared), decided
