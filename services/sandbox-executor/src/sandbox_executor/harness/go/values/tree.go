// Package values reads and writes portable values (docs/values.md) in Go.
//
// Decode gives a tree of nil, bool, int64, float64, string, *big.Int, []byte and the types below. Convert turns a
// tree into a value of a parameter's type; Encode writes any Go value.
package values

import "strconv"

const (
	maxDepth    = 200
	maxNodes    = 4_000_000
	maxPlainInt = 1 << 53
	// Longer decimal texts are read by nobody.
	maxIntDigits = 4300
	// Longer names of records and fields are refused.
	maxName = 200
)

// Sequence is an array, or what a tuple or a deque was elsewhere.
type Sequence []any

// Set is a set or a frozenset.
type Set []any

// Tuple is what a function returned that returns several values.
type Tuple []any

// Pair is one entry of a Map.
type Pair struct{ Key, Value any }

// Map is an object with text keys, or one of the tagged maps.
type Map []Pair

// Field is one field of a Record.
type Field struct {
	Name  string
	Value any
}

// Record is a named tuple or a dataclass.
type Record []Field

// Opaque is a value of a kind that Go does not have, carried as its text.
type Opaque struct{ Kind, Text string }

// Malformed says what is wrong with a text.
type Malformed struct {
	Reason string
	At     int
}

func (m *Malformed) Error() string { return m.Reason + " at byte " + strconv.Itoa(m.At) }

// Unportable says what has no portable form, and where.
type Unportable struct{ Path, What string }

func (u *Unportable) Error() string { return shortened(u.Path) + ": " + u.What + " has no portable form" }

// shortened leaves out the middle of a path that would push out of sight what stands behind it.
func shortened(path string) string {
	if len(path) > 120 {
		return path[:60] + "…" + path[len(path)-40:]
	}
	return path
}

// Mismatch says why an argument does not fit a parameter.
type Mismatch struct{ Path, What string }

func (m *Mismatch) Error() string { return shortened(m.Path) + ": " + m.What }
