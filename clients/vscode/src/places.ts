// Where a result opens: in a file of the workspace that holds it, or else as it was indexed, read-only.
import * as vscode from "vscode";
import type { Found } from "./retriever";

export const SCHEME = "touchstone";

/** Folders of the workspace below which a package's own paths often begin. */
const ROOTS = ["", "src", "lib"];

export interface Place {
  uri: vscode.Uri;
  line: number;
  /** Whether it is a file of the workspace. */
  ours: boolean;
}

/** The file of the workspace that holds a result, where there is one; else its indexed version. */
export async function placeOf(found: Found): Promise<Place> {
  for (const folder of vscode.workspace.workspaceFolders ?? []) {
    for (const relative of candidates(found.location?.path ?? "")) {
      const uri = vscode.Uri.joinPath(folder.uri, ...relative);
      const line = await lineIn(uri, found);
      if (line !== undefined) return { uri, line, ours: true };
    }
  }
  return { uri: indexedUri(found), line: 0, ours: false };
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

/** Show a result; returns the editor. */
export async function show(place: Place, options: { preview: boolean; preserveFocus: boolean }): Promise<vscode.TextEditor> {
  const document = await vscode.workspace.openTextDocument(place.uri);
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

/** The line, counted from 0, at which a file holds a result: its whole code, or its first line nearest to where it was. */
async function lineIn(uri: vscode.Uri, found: Found): Promise<number | undefined> {
  if (!found.code.trim()) return undefined;
  let text: string;
  try {
    text = new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
  } catch {
    return undefined;
  }
  const lines = text.split(/\r\n|\r|\n/);
  const code = found.code.split(/\r\n|\r|\n/);
  const due = Math.max(0, (found.location?.lineStart ?? 1) - 1);
  const whole = lines.join("\n").indexOf(code.join("\n"));
  if (whole >= 0) return lines.join("\n").slice(0, whole).split("\n").length - 1;
  const first = code[0].trim();
  const same = lines.flatMap((line, at) => (first !== "" && line.trim() === first ? [at] : []));
  return same.sort((one, other) => Math.abs(one - due) - Math.abs(other - due))[0];
}
