// Command gobuild compiles and links Go programs inside the sandbox, offline, with the bare compiler and linker and
// packages that were compiled beforehand, those of modules that were prepared for the job among them. It is what
// `go build` does, without reading the standard library's sources, without a cache to write, without cgo, generators or
// assembler.
//
//	gobuild cases   TOOLCHAIN ROOT SOURCE ENTRY BINARY   candidate and harness
//	gobuild program TOOLCHAIN ROOT FOLDER BINARY         all of a folder, with the packages of its own module
package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// environment is where the packages of modules lie that were prepared for a job.
const environment = "/runtime/environment"

// problem is a fault of the candidate: its text is shown as the compiler's words.
type problem struct{ text string }

func (p problem) Error() string { return p.text }

type builder struct {
	toolchain, root, scratch string
	// importable maps import paths to compiled packages that a candidate may name; linkable has all.
	importable, linkable map[string]string
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, strings.TrimRight(err.Error(), "\n"))
		os.Exit(1)
	}
}

func run(arguments []string) error {
	if len(arguments) < 5 {
		return fmt.Errorf("usage: gobuild cases|program TOOLCHAIN ROOT ... BINARY")
	}
	b, err := open(arguments[1], arguments[2])
	if err != nil {
		return err
	}
	defer os.RemoveAll(b.scratch)
	switch {
	case arguments[0] == "cases" && len(arguments) == 6:
		return b.cases(arguments[3], arguments[4], arguments[5])
	case arguments[0] == "program" && len(arguments) == 5:
		return b.program(arguments[3], arguments[4])
	}
	return fmt.Errorf("unknown order %s", arguments[0])
}

func open(toolchain, root string) (*builder, error) {
	scratch, err := os.MkdirTemp("", "build")
	if err != nil {
		return nil, err
	}
	b := &builder{toolchain, root, scratch, map[string]string{}, map[string]string{}}
	if err := b.add(toolchain); err != nil {
		return nil, err
	}
	// Packages of modules that were prepared for this job, if any were.
	if err := b.add(environment); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return b, nil
}

// add takes a folder's compiled packages; what is there already stays.
func (b *builder) add(folder string) error {
	list, err := os.ReadFile(filepath.Join(folder, "packages.txt"))
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(list)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		if b.linkable[path] != "" {
			continue
		}
		b.linkable[path] = filepath.Join(folder, file)
		if !isPrivate(path) {
			b.importable[path] = b.linkable[path]
		}
	}
	return nil
}

func isPrivate(path string) bool {
	for part := range strings.SplitSeq(path, "/") {
		if part == "internal" || part == "vendor" {
			return true
		}
	}
	return strings.HasPrefix(path, "touchstone/")
}

func (b *builder) tool(name string, arguments ...string) error {
	command := exec.Command(filepath.Join(b.root, "pkg", "tool", "linux_"+architecture, name), arguments...)
	var said bytes.Buffer
	command.Stdout, command.Stderr = &said, &said
	if err := command.Run(); err != nil {
		if said.Len() == 0 {
			return err
		}
		return problem{strings.ReplaceAll(said.String(), b.scratch+"/", "")}
	}
	return nil
}

func (b *builder) config(name string, packages map[string]string) (string, error) {
	var text strings.Builder
	for path, file := range packages {
		fmt.Fprintf(&text, "packagefile %s=%s\n", path, file)
	}
	file := filepath.Join(b.scratch, name)
	return file, os.WriteFile(file, []byte(text.String()), 0o600)
}

// compile makes one package; what it prints names files relative to folder.
func (b *builder) compile(path, folder string, packages map[string]string, files []string, options ...string) (string, error) {
	config, err := b.config("importcfg", packages)
	if err != nil {
		return "", err
	}
	object := filepath.Join(b.scratch, strings.ReplaceAll(path, "/", "_")+".a")
	arguments := []string{
		"-o", object, "-p", path, "-complete", "-pack", "-c=2", "-dwarf=false",
		"-trimpath", folder + "=>", "-importcfg", config,
	}
	return object, b.tool("compile", slices.Concat(arguments, options, files)...)
}

func (b *builder) link(object, binary string) error {
	config, err := b.config("linkcfg", b.linkable)
	if err != nil {
		return err
	}
	return b.tool("link", "-o", binary, "-importcfg", config, "-buildmode=exe", "-s", "-w", object)
}
