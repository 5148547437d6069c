package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/build"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// directive gives what a go.mod file says by a word, without quotes; empty where it says nothing.
func directive(folder, word string) string {
	text, err := os.ReadFile(filepath.Join(folder, "go.mod"))
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, "//")
		if fields := strings.Fields(line); len(fields) == 2 && fields[0] == word {
			return strings.Trim(fields[1], "\"`")
		}
	}
	return ""
}

// languageOf gives the compiler's flag for the version of the language that a module is written in.
func languageOf(folder string) []string {
	if _, err := os.Stat(filepath.Join(folder, "go.mod")); err != nil {
		return nil
	}
	version := directive(folder, "go")
	if version == "" {
		// So the go command takes a file that does not say it.
		version = "1.16"
	}
	major, rest, _ := strings.Cut(version, ".")
	end := strings.IndexFunc(rest, func(sign rune) bool { return sign < '0' || sign > '9' })
	if end >= 0 {
		rest = rest[:end]
	}
	return []string{"-lang=go" + major + "." + rest}
}

// embedded gives the compiler's flag for the files that a package embeds.
func (b *builder) embedded(found *build.Package, folder string) ([]string, error) {
	if len(found.EmbedPatterns) == 0 {
		return nil, nil
	}
	config := struct {
		Patterns map[string][]string
		Files    map[string]string
	}{map[string][]string{}, map[string]string{}}
	for _, pattern := range found.EmbedPatterns {
		names, err := matching(folder, pattern)
		if err != nil {
			return nil, problem{fmt.Sprintf("%v: pattern %s: %v", found.EmbedPatternPos[pattern][0], pattern, err)}
		}
		config.Patterns[pattern] = names
		for _, name := range names {
			config.Files[name] = filepath.Join(folder, filepath.FromSlash(name))
		}
	}
	text, err := json.Marshal(config)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(b.scratch, "embedcfg")
	return []string{"-embedcfg", file}, os.WriteFile(file, text, 0o600)
}

// matching lists the files of a folder that a pattern means: a folder means what is in it, hidden files only where the
// pattern asks for all.
func matching(folder, pattern string) ([]string, error) {
	glob, all := strings.CutPrefix(pattern, "all:")
	if glob == "." || !fs.ValidPath(glob) {
		return nil, errors.New("invalid pattern syntax")
	}
	tree := os.DirFS(folder)
	matches, err := fs.Glob(tree, glob)
	if err != nil {
		return nil, errors.New("invalid pattern syntax")
	}
	var names []string
	for _, match := range matches {
		if isForeign(tree, match) {
			return nil, fmt.Errorf("cannot embed %s: in different module", match)
		}
		before := len(names)
		err := fs.WalkDir(tree, match, func(name string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			hidden := strings.HasPrefix(entry.Name(), ".") || strings.HasPrefix(entry.Name(), "_")
			skipped := name != match && (hidden && !all || isOfVersions(entry.Name()))
			switch {
			case entry.IsDir() && (skipped || name != match && isModule(tree, name)):
				return fs.SkipDir
			case entry.Type().IsRegular() && !skipped:
				names = append(names, name)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		if len(names) == before {
			return nil, fmt.Errorf("cannot embed %s: contains no embeddable files", match)
		}
	}
	if len(names) == 0 {
		return nil, errors.New("no matching files found")
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

func isOfVersions(name string) bool {
	return slices.Contains([]string{".bzr", ".hg", ".git", ".svn"}, name)
}

func isModule(tree fs.FS, folder string) bool {
	_, err := fs.Stat(tree, folder+"/go.mod")
	return err == nil
}

// isForeign tells whether a file or folder, or one above it, belongs to another module.
func isForeign(tree fs.FS, name string) bool {
	for parts := strings.Split(name, "/"); len(parts) > 0; parts = parts[:len(parts)-1] {
		if isModule(tree, strings.Join(parts, "/")) {
			return true
		}
	}
	return false
}
