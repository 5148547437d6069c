package main

import (
	"errors"
	"fmt"
	"go/build"
	"maps"
	"path/filepath"
	"runtime"
	"strings"
)

const architecture = runtime.GOARCH

// program builds the main package in a folder, and before it the packages of the same module that it imports.
func (b *builder) program(folder, binary string) error {
	context := build.Default
	context.GOROOT, context.CgoEnabled = b.root, false
	t := &tree{builder: b, context: context, folder: folder, module: directive(folder, "module"), done: map[string]string{}}
	object, err := t.compileFolder("main", folder)
	if err != nil {
		return problem{strings.ReplaceAll(err.Error(), folder+"/", "")}
	}
	return b.link(object, binary)
}

type tree struct {
	*builder
	context        build.Context
	folder, module string
	// done maps import paths to objects; an empty object marks a package whose compilation has begun.
	done map[string]string
}

func (t *tree) compileFolder(path, folder string) (string, error) {
	if object, begun := t.done[path]; begun {
		if object == "" {
			return "", problem{"import cycle at " + path}
		}
		return object, nil
	}
	t.done[path] = ""
	found, err := t.context.ImportDir(folder, 0)
	if err != nil {
		var none *build.NoGoError
		if errors.As(err, &none) {
			return "", problem{"no Go files in " + t.relative(folder)}
		}
		return "", problem{strings.ReplaceAll(err.Error(), t.folder+"/", "")}
	}
	if len(found.CgoFiles)+len(found.SFiles) > 0 {
		return "", problem{t.relative(folder) + ": cgo and assembler are not available"}
	}
	packages := maps.Clone(t.importable)
	for _, imported := range found.Imports {
		local, ok := t.local(imported)
		if !ok {
			continue
		}
		object, err := t.compileFolder(imported, local)
		if err != nil {
			return "", err
		}
		packages[imported] = object
		t.linkable[imported] = object
	}
	files := make([]string, len(found.GoFiles))
	for i, name := range found.GoFiles {
		files[i] = filepath.Join(folder, name)
	}
	if path == "main" && found.Name != "main" {
		return "", problem{fmt.Sprintf("package %s is not a main package", found.Name)}
	}
	options, err := t.embedded(found, folder)
	if err != nil {
		return "", err
	}
	options = append(options, languageOf(t.folder)...)
	object, err := t.compile(path, t.folder+"/", packages, files, options...)
	t.done[path] = object
	return object, err
}

func (t *tree) relative(folder string) string {
	name, err := filepath.Rel(t.folder, folder)
	if err != nil {
		return folder
	}
	return name
}

func (t *tree) local(path string) (string, bool) {
	if t.module == "" {
		return "", false
	}
	rest, inside := strings.CutPrefix(path, t.module+"/")
	return filepath.Join(t.folder, filepath.FromSlash(rest)), inside
}
