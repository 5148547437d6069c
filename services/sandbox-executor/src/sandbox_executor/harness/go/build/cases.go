package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

const hiddenMain = "touchstoneCandidateMain"

// cases builds the candidate together with the harness. The candidate becomes package main, whatever it calls
// itself, and its own main function steps aside.
func (b *builder) cases(source, entry, binary string) error {
	text, err := os.ReadFile(source)
	if err != nil {
		return err
	}
	name := filepath.Base(source)
	text, file, err := parse(name, text)
	if err != nil {
		return err
	}
	for _, imported := range file.syntax.Imports {
		if path, err := strconv.Unquote(imported.Path.Value); err == nil && b.importable[path] == "" && path != "unsafe" {
			at := file.at(imported.Pos())
			return problem{fmt.Sprintf("%s:%d:%d: could not import %s (not in the standard library)", name, at.Line, at.Column, path)}
		}
	}
	if at := generic(file.syntax, entry); at != token.NoPos {
		position := file.at(at)
		return problem{fmt.Sprintf("%s:%d:%d: %s has type parameters; an entry point is called with values, so give it types", name, position.Line, position.Column, entry)}
	}
	candidate := filepath.Join(b.scratch, name)
	caller := filepath.Join(b.scratch, "touchstone_caller.go")
	if err := os.WriteFile(candidate, adapt(name, text, file), 0o600); err != nil {
		return err
	}
	if err := os.WriteFile(caller, []byte(callerOf(file.syntax, entry)), 0o600); err != nil {
		return err
	}
	packages := maps.Clone(b.importable)
	packages["touchstone/serve"] = b.linkable["touchstone/serve"]
	object, err := b.compile("main", b.scratch, packages, []string{candidate, caller})
	if err != nil {
		return err
	}
	return b.link(object, binary)
}

type parsed struct {
	syntax *ast.File
	at     func(token.Pos) token.Position
}

func parse(name string, text []byte) ([]byte, parsed, error) {
	set := token.NewFileSet()
	syntax, err := parser.ParseFile(set, name, text, parser.SkipObjectResolution)
	if syntax != nil && !syntax.Package.IsValid() {
		// No package clause: a bare function is a candidate too.
		text = append([]byte("package main; /*line "+name+":1:1*/"), text...)
		set = token.NewFileSet()
		syntax, err = parser.ParseFile(set, name, text, parser.SkipObjectResolution)
	}
	if err != nil {
		if list, ok := err.(scanner.ErrorList); ok {
			var words strings.Builder
			for i, one := range list {
				if i == 10 {
					fmt.Fprintf(&words, "and %d more\n", len(list)-i)
					break
				}
				fmt.Fprintln(&words, one)
			}
			return nil, parsed{}, problem{words.String()}
		}
		return nil, parsed{}, problem{err.Error()}
	}
	// Offsets of the text as it is, lines as the candidate's author counts them.
	return text, parsed{syntax, set.Position}, nil
}

// adapt renames the package and the main function; line directives keep every other position as it was.
func adapt(name string, text []byte, file parsed) []byte {
	type edit struct {
		identifier *ast.Ident
		to         string
	}
	edits := []edit{{file.syntax.Name, "main"}}
	for _, declaration := range file.syntax.Decls {
		if function, ok := declaration.(*ast.FuncDecl); ok && function.Recv == nil && function.Name.Name == "main" {
			edits = append(edits, edit{function.Name, hiddenMain})
		}
	}
	var out []byte
	done := 0
	for _, one := range edits {
		position := file.at(one.identifier.Pos())
		out = append(out, text[done:position.Offset]...)
		done = position.Offset + len(one.identifier.Name)
		column := position.Column + len(one.identifier.Name)
		out = append(out, fmt.Sprintf("%s/*line %s:%d:%d*/", one.to, name, position.Line, column)...)
	}
	return append(out, text[done:]...)
}

func callerOf(file *ast.File, entry string) string {
	expression, method, problem := "nil", false, ""
	if owner, member, dotted := strings.Cut(entry, "."); dotted {
		if hasMethod(file, owner, member, nil) {
			expression, method = "(*"+owner+")."+member, true
		}
	} else if entry == "main" && declares(file, entry) {
		expression = hiddenMain
	} else if declares(file, entry) {
		expression = entry
	}
	if expression == "nil" {
		problem = entry + " is not a function of the candidate; it has " + strings.Join(names(file), ", ")
	}
	return fmt.Sprintf(
		"package main\n\nimport touchstoneServe \"touchstone/serve\"\n\nfunc main() { touchstoneServe.Run(%s, %s, %t) }\n",
		strconv.Quote(problem), expression, method,
	)
}

// generic gives the place of the type parameters of the entry point, or of its receiver's type, if it has any.
func generic(file *ast.File, entry string) token.Pos {
	for _, declaration := range file.Decls {
		function, ok := declaration.(*ast.FuncDecl)
		if ok && function.Recv == nil && function.Name.Name == entry && function.Type.TypeParams != nil {
			return function.Type.TypeParams.Pos()
		}
	}
	if owner, _, dotted := strings.Cut(entry, "."); dotted {
		if spec := typeOf(file, owner); spec != nil && spec.TypeParams != nil {
			return spec.TypeParams.Pos()
		}
	}
	return token.NoPos
}

// typeOf gives the declaration of a type, or nil.
func typeOf(file *ast.File, name string) *ast.TypeSpec {
	for _, declaration := range file.Decls {
		group, ok := declaration.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range group.Specs {
			if found, ok := spec.(*ast.TypeSpec); ok && found.Name.Name == name {
				return found
			}
		}
	}
	return nil
}

// nameOf gives the name of a type, whether a pointer to it or its type arguments stand there; empty for other types.
func nameOf(expression ast.Expr) string {
	switch node := expression.(type) {
	case *ast.Ident:
		return node.Name
	case *ast.StarExpr:
		return nameOf(node.X)
	case *ast.ParenExpr:
		return nameOf(node.X)
	case *ast.IndexExpr:
		return nameOf(node.X)
	case *ast.IndexListExpr:
		return nameOf(node.X)
	}
	return ""
}

// ownerOf gives the name of the type whose method a function is; empty where it is none.
func ownerOf(function *ast.FuncDecl) string {
	if function.Recv == nil || len(function.Recv.List) != 1 {
		return ""
	}
	return nameOf(function.Recv.List[0].Type)
}

// names lists the functions and methods of the candidate.
func names(file *ast.File) []string {
	found := []string{}
	for _, declaration := range file.Decls {
		function, ok := declaration.(*ast.FuncDecl)
		if !ok {
			continue
		}
		name := function.Name.Name
		if owner := ownerOf(function); owner != "" {
			name = owner + "." + name
		}
		if found = append(found, name); len(found) == 20 {
			break
		}
	}
	if len(found) == 0 {
		return []string{"no functions"}
	}
	return found
}

func declares(file *ast.File, name string) bool {
	for _, declaration := range file.Decls {
		switch node := declaration.(type) {
		case *ast.FuncDecl:
			if node.Recv == nil && node.Name.Name == name {
				return true
			}
		case *ast.GenDecl:
			for _, spec := range node.Specs {
				value, ok := spec.(*ast.ValueSpec)
				if !ok {
					continue
				}
				for _, identifier := range value.Names {
					if identifier.Name == name {
						return true
					}
				}
			}
		}
	}
	return false
}

// hasMethod tells whether a type has a method, by itself or from what it embeds; `seen` are the types asked before.
func hasMethod(file *ast.File, owner, member string, seen []string) bool {
	for _, declaration := range file.Decls {
		if function, ok := declaration.(*ast.FuncDecl); ok && function.Name.Name == member && ownerOf(function) == owner {
			return true
		}
	}
	spec := typeOf(file, owner)
	if spec == nil || slices.Contains(seen, owner) {
		return false
	}
	seen = append(seen, owner)
	body, ok := spec.Type.(*ast.StructType)
	if !ok {
		// Another name has the methods of what it stands for; a type that is only made of another one has not.
		return spec.Assign.IsValid() && hasMethod(file, nameOf(spec.Type), member, seen)
	}
	for _, field := range body.Fields.List {
		if len(field.Names) == 0 && hasMethod(file, nameOf(field.Type), member, seen) {
			return true
		}
	}
	return false
}
