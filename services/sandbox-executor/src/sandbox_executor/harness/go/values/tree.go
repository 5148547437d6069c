// Package values reads and writes portable values (docs/values.md) in Go.
//
// Decode gives a tree of nil, bool, int64, float64, string, *big.Int and the types below, which keep the kinds
// that Go has no type for. Convert turns a tree into a value of a parameter's type; Encode writes any Go value,
// trees included.
package values

import "strconv"

const (
	maxDepth    = 200
	maxNodes    = 4_000_000
	maxPlainInt = 1 << 53
	// Longer decimal texts are read by nobody.
	maxIntDigits = 4300
)

// Sequence is an array, or what a tuple or a deque was elsewhere; Kind is empty for an array.
type Sequence struct {
	Kind   string
	Maxlen any
	Items  []any
}

// Set is a set or a frozenset.
type Set struct {
	Kind  string
	Items []any
}

// Pair is one entry of a Map.
type Pair struct{ Key, Value any }

// Map is an object with text keys (Kind empty) or one of the tagged maps.
type Map struct {
	Kind    string
	Factory any
	Pairs   []Pair
}

// Bytes is a bytes or a bytearray.
type Bytes struct {
	Kind string
	Data []byte
}

// Field is one field of a Record.
type Field struct {
	Name  string
	Value any
}

// Record is a named tuple or a dataclass.
type Record struct {
	Name   string
	Fields []Field
}

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

func (u *Unportable) Error() string { return u.Path + ": " + u.What + " has no portable form" }

// Mismatch says why an argument does not fit a parameter.
type Mismatch struct{ Path, What string }

func (m *Mismatch) Error() string { return m.Path + ": " + m.What }
