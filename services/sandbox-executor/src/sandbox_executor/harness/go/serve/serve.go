// Package serve answers one frame per case (docs/harness-protocol.md); the candidate's package calls Run.
package serve

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"

	"touchstone/values"
)

const (
	requests     = 3
	responses    = 4
	typeLimit    = 200
	messageLimit = 2000
	maxStack     = 64 << 20
)

var errorType = reflect.TypeFor[error]()

type server struct {
	in, out *os.File
	call    reflect.Value
	method  bool
	// nothing: some case returns nothing, so that a nil slice or map is that and not an empty one.
	nothing bool
}

// Run serves until the requests end. A nil entry means that the candidate has no such function, which problem says in
// words; method says that the entry's first parameter is a receiver, made anew for each case.
func Run(problem string, entry any, method bool) {
	debug.SetMaxStack(maxStack)
	// The first line of a death says why; hundreds of frames behind it would push it out of what is kept.
	debug.SetTraceback("none")
	s := &server{in: take(requests, "requests"), out: take(responses, "responses"), method: method}
	order, ok := s.read()
	if !ok {
		os.Exit(0)
	}
	s.nothing = strings.Contains(order, `"options": {"nothing": true}`)
	s.call = reflect.ValueOf(entry)
	if !s.call.IsValid() || s.call.Kind() != reflect.Func || s.call.IsNil() {
		s.write(`{"o":"load_error","t":"EntryPointError","m":` + words(problem, messageLimit) + `}`)
		os.Exit(0)
	}
	s.write(`{"o":"ready"}`)
	for {
		request, ok := s.read()
		if !ok {
			os.Exit(0)
		}
		s.write(s.answer(request))
	}
}

// take moves a descriptor to a number of its own, which programs started by the candidate do not inherit.
func take(number int, name string) *os.File {
	syscall.ForkLock.RLock()
	copied, err := syscall.Dup(number)
	if err == nil {
		syscall.CloseOnExec(copied)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		fatal(err)
	}
	syscall.Close(number)
	return os.NewFile(uintptr(copied), name)
}

func fatal(err error) {
	os.Stderr.WriteString("harness: " + err.Error() + "\n")
	os.Exit(70)
}

func (s *server) read() (string, bool) {
	var header [4]byte
	if _, err := io.ReadFull(s.in, header[:]); err != nil {
		return "", false
	}
	body := make([]byte, binary.BigEndian.Uint32(header[:]))
	if _, err := io.ReadFull(s.in, body); err != nil {
		return "", false
	}
	return string(body), true
}

func (s *server) write(text string) {
	frame := make([]byte, 4, 4+len(text))
	binary.BigEndian.PutUint32(frame, uint32(len(text)))
	if _, err := s.out.Write(append(frame, text...)); err != nil {
		fatal(err)
	}
}

func words(text string, limit int) string {
	if len(text) > limit {
		text = text[:limit]
	}
	encoded, err := values.Encode(strings.ToValidUTF8(text, "\uFFFD"))
	if err != nil {
		return `""`
	}
	return encoded
}

func (s *server) answer(request string) (frame string) {
	head := request[:strings.IndexByte(request, ',')]
	defer func() {
		if problem := recover(); problem != nil {
			kind, message := describe(problem)
			frame = raised(head, kind, message)
		}
	}()
	values.Forget()
	tree, err := values.Decode(request)
	if err != nil {
		return raised(head, "MalformedValueError", err.Error())
	}
	arguments, err := s.arguments(tree.(values.Map)[1].Value)
	if err != nil {
		return raised(head, "ArgumentError", err.Error())
	}
	result, err := s.collect(s.call.Call(arguments))
	if err != nil {
		return raised(head, kindOf(err), err.Error())
	}
	text, err := values.Encode(result)
	if err != nil {
		return raised(head, "UnportableError", err.Error())
	}
	return head + `,"o":"returned","v":` + text + "}"
}

func raised(head, kind, message string) string {
	return head + `,"o":"raised","t":` + words(kind, typeLimit) + `,"m":` + words(message, messageLimit) + "}"
}

func (s *server) arguments(tree any) ([]reflect.Value, error) {
	var given []any
	switch node := tree.(type) {
	case values.Sequence:
		given = node
	case values.Map:
		for _, pair := range node {
			given = append(given, pair.Value)
		}
	}
	function := s.call.Type()
	var arguments []reflect.Value
	if s.method {
		arguments = append(arguments, reflect.New(function.In(0).Elem()))
	}
	fixed := function.NumIn() - len(arguments)
	if function.IsVariadic() {
		fixed--
	}
	if len(given) < fixed || len(given) > fixed && !function.IsVariadic() {
		return nil, fmt.Errorf("the function takes %d arguments, the case has %d", fixed, len(given))
	}
	offset := len(arguments)
	for i, item := range given {
		var wanted reflect.Type
		if i < fixed {
			wanted = function.In(i + offset)
		} else {
			wanted = function.In(function.NumIn() - 1).Elem()
			// A list may also stand for the whole rest.
			if list, ok := item.(values.Sequence); ok && len(given) == fixed+1 && wanted.Kind() != reflect.Slice && wanted.Kind() != reflect.Interface {
				return s.spread(arguments, list, wanted)
			}
		}
		value, err := values.Convert(item, wanted)
		if err != nil {
			return nil, fmt.Errorf("argument %d: %w", i+1, err)
		}
		arguments = append(arguments, value)
	}
	return arguments, nil
}

func (s *server) spread(arguments []reflect.Value, items []any, wanted reflect.Type) ([]reflect.Value, error) {
	for _, item := range items {
		value, err := values.Convert(item, wanted)
		if err != nil {
			return nil, err
		}
		arguments = append(arguments, value)
	}
	return arguments, nil
}

// collect makes one value of what a function returned: a last error is no part of it, several results are a tuple.
func (s *server) collect(results []reflect.Value) (any, error) {
	if count := len(results); count > 0 && results[count-1].Type() == errorType {
		if problem, ok := results[count-1].Interface().(error); ok && problem != nil {
			return nil, problem
		}
		results = results[:count-1]
	}
	switch len(results) {
	case 0:
		return nil, nil
	case 1:
		if kind := results[0].Kind(); s.nothing && (kind == reflect.Slice || kind == reflect.Map) && results[0].IsNil() {
			return nil, nil
		}
		return results[0].Interface(), nil
	}
	items := make([]any, len(results))
	for i, result := range results {
		items[i] = result.Interface()
	}
	return values.Tuple(items), nil
}

func kindOf(problem any) string {
	if _, ok := problem.(runtime.Error); ok {
		return "runtime.Error"
	}
	return strings.TrimPrefix(reflect.TypeOf(problem).String(), "*")
}

func describe(problem any) (kind, message string) {
	defer func() {
		if recover() != nil {
			kind, message = "panic", "a panic that cannot be shown"
		}
	}()
	if err, ok := problem.(error); ok {
		var exhausted runtime.Error
		if errors.As(err, &exhausted) {
			return "runtime.Error", err.Error()
		}
		return kindOf(err), err.Error()
	}
	return "panic", fmt.Sprint(problem)
}
