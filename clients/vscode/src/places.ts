// Where a result opens: in a file of the workspace that holds it, or else as it was indexed, read-only.
import * as vscode from "vscode";
import type { Found } from "./retriever";

export const SCHEME = "touchstone";

/** Folders of the workspace below which a package's own paths often begin. */
const ROOTS = ["", "src", "lib"];

/** What may stand behind code on its last line. */
const ENDS = /^\s*($|#|\/\/|\/\*|[;,)}\]])/;

export interface Place {
  uri: vscode.Uri;
  line: number;
  /** Whether it is a file of the workspace. */
  ours: boolean;
}

/** The file of the workspace that holds a result, where there is one; else its indexed version. */
export async function placeOf(found: Found): Promise<Place> {
  let changed: Place | undefined;
  for (const folder of vscode.workspace.workspaceFolders ?? []) {
    for (const relative of candidates(found.location?.path ?? "")) {
      const uri = vscode.Uri.joinPath(folder.uri, ...relative);
      const lines = await linesOf(uri);
      if (!lines || !found.code.trim()) continue;
      const whole = wholeIn(lines, found);
      if (whole !== undefined) return { uri, line: whole, ours: true };
      // Another package may have a file and a function of the same names.
      const folders = [...segments(folder.uri.path).slice(-1), ...relative.slice(0, -1)];
      const known = isNamed(found.location?.repository ?? "", folders);
      const line = changed ? undefined : changedIn(lines, found, known);
      if (line !== undefined) changed = { uri, line, ours: true };
    }
  }
  return changed ?? { uri: indexedUri(found), line: 0, ours: false };
}

/** The address of a result's indexed version; its path names what it is for people, its query for us. */
export function indexedUri(found: Found): vscode.Uri {
  const place = found.location;
  const source = `${place?.repository ?? ""}@${place?.version ?? ""}`.replace(/[^\w.@-]+/g, "_");
  return vscode.Uri.from({
    scheme: SCHEME,
    path: `/${source}/${segments(place?.path ?? "").join("/")}`,
    query: found.functionId,
  });
}

/** The id of the function that an address names. */
export function functionOf(uri: vscode.Uri): string {
  return uri.query;
}

/** Show a result; returns the editor, and nothing where it was called off before it could be shown. */
export async function show(
  place: Place,
  options: { preview: boolean; preserveFocus: boolean },
  signal?: AbortSignal,
): Promise<vscode.TextEditor | undefined> {
  const document = await vscode.workspace.openTextDocument(place.uri);
  if (signal?.aborted) return undefined;
  const at = new vscode.Position(Math.min(place.line, Math.max(0, document.lineCount - 1)), 0);
  const editor = await vscode.window.showTextDocument(document, { ...options, selection: new vscode.Range(at, at) });
  editor.revealRange(new vscode.Range(at, at), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  return editor;
}

function segments(path: string): string[] {
  // A path comes from a server: it never leads out of a folder.
  return path.split(/[\\/]+/).filter((part) => part !== "" && part !== "." && part !== "..");
}

function* candidates(path: string): Generator<string[]> {
  const parts = segments(path);
  if (parts.length === 0) return;
  for (const root of ROOTS) yield [...(root ? [root] : []), ...parts];
  // Archives put a folder with name and version in front.
  if (parts.length > 1) for (const root of ROOTS) yield [...(root ? [root] : []), ...parts.slice(1)];
}

async function linesOf(uri: vscode.Uri): Promise<string[] | undefined> {
  // What is open is shown as it stands in the editor, saved or not.
  const open = vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
  if (open) return cut(open.getText());
  try {
    return cut(new TextDecoder().decode(await vscode.workspace.fs.readFile(uri)));
  } catch {
    return undefined;
  }
}

function cut(text: string): string[] {
  return text.split(/\r\n|\r|\n/).map((line) => line.trimEnd());
}

/** The line, counted from 0, at which a file holds the whole code of a result. */
function wholeIn(lines: string[], found: Found): number | undefined {
  const code = cut(found.code.trimEnd());
  const last = code.length - 1;
  const holds = (at: number): boolean => {
    const begins = lines[at].indexOf(code[0]);
    const margin = lines[at].slice(0, begins);
    if (begins < 0 || !(inPython(found) ? /^\s*$/ : /(^|\W)$/).test(margin)) return false;
    // Code is kept at the left margin, but for the lines of long strings.
    const stands = [margin.replace(/\S/g, " "), ""];
    return code.every((part, number) => {
      const starts = number === 0 ? [margin] : stands;
      const line = lines[at + number];
      // Behind the end of the code there may be the end of what is around it, and a comment.
      const ends = (start: string) => line?.startsWith(start) && ENDS.test(line.slice(start.length));
      return starts.some((start) => (number === last ? ends(start + part) : line === (start + part).trimEnd()));
    });
  };
  return nearest(lines, found, 0, holds);
}

/** The line at which a file holds a result whose code was changed since; undefined where it may be another's. */
function changedIn(lines: string[], found: Found, known: boolean): number | undefined {
  const code = cut(found.code);
  const [name] = names(found).slice(-1);
  if (!name) return undefined;
  const defines = naming(name, inPython(found) ? "^\\s*(async\\s+)?(def|class)\\s+" : "^(?!\\s*(?:@|#|//|/?\\*|--)).*");
  const head = code.findIndex((line) => defines.test(line));
  if (head < 0) return undefined;
  const body = code.slice(head + 1).map((line) => line.trim()).filter(Boolean);
  const remains = (at: number): boolean => {
    const around = new Set(lines.slice(at + 1, at + 1 + 2 * code.length).map((line) => line.trim()));
    const kept = body.filter((line) => around.has(line)).length;
    return kept > 0 && 2 * kept >= body.length;
  };
  return nearest(lines, found, head, (at) => lines[at].trim() === code[head].trim() && (known || remains(at)));
}

/** Of the lines that are right, one within the class that a result is of, and of these the nearest to where it was. */
function nearest(lines: string[], found: Found, below: number, right: (at: number) => boolean): number | undefined {
  const due = Math.max(0, (found.location?.lineStart ?? 1) - 1) + below;
  const owner = names(found).slice(-2, -1)[0] ?? "";
  const misplaced = (at: number) => inPython(found) && ownerAt(lines, at) !== owner;
  const cost = (at: number) => (misplaced(at) ? lines.length + due : 0) + Math.abs(at - due);
  let best: number | undefined;
  for (let at = 0; at < lines.length; at++) {
    if (right(at) && (best === undefined || cost(at) < cost(best))) best = at;
  }
  return best;
}

/** The name of the class or function around a line of Python; empty where there is none. */
function ownerAt(lines: string[], at: number): string {
  let margin = lines[at].search(/\S/);
  for (let above = at - 1; above >= 0 && margin > 0; above--) {
    const depth = lines[above].search(/\S/);
    if (depth < 0 || depth >= margin) continue;
    const owner = /^\s*(?:async\s+)?(?:def|class)\s+([\p{L}\p{N}_]+)/u.exec(lines[above]);
    if (owner) return owner[1];
    // A comment may begin anywhere.
    if (!/^\s*#/.test(lines[above])) margin = depth;
  }
  return "";
}

/** The names of which a qualified name consists, without marks of scopes. */
function names(found: Found): string[] {
  return ((found.location?.qualname ?? "").replace(/<\w+>/g, "").match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? []) as string[];
}

/** A line that has a name as a word of its own behind some others. */
function naming(name: string, behind: string): RegExp {
  return new RegExp(`${behind}(?<![\\p{L}\\p{N}_$])${name.replaceAll("$", "\\$")}(?![\\p{L}\\p{N}_$])`, "u");
}

function inPython(found: Found): boolean {
  return found.location?.language === "python";
}

/** Whether one of some folders has the name of a repository, with or without a version behind it. */
function isNamed(repository: string, folders: string[]): boolean {
  const named = (text: string) => text.toLowerCase().replace(/[-_.]+/g, "-");
  const own = named((repository.split(/[\\/]+/).filter(Boolean).at(-1) ?? "").replace(/\.git$/, ""));
  const fits = (name: string) => name.startsWith(own) && /^(-v?\d.*)?$/.test(name.slice(own.length));
  return own !== "" && folders.map(named).some(fits);
}
