// How results are shown as text.
import * as vscode from "vscode";
import type { Answer, Found, Piece } from "./retriever";

export function title(found: Found): string {
  const form = found.form && found.form !== "function" ? ` (${found.form})` : "";
  return `${found.location?.qualname ?? found.functionId}${form}`;
}

export function where(found: Found): string {
  const place = found.location;
  if (!place) return "";
  const copies = found.duplicates.length + found.moreDuplicates;
  const least = found.moreDuplicates ? "at least " : "";
  const others = copies ? `, and in ${least}${counted(copies, "other place")}` : "";
  return `${place.path}:${place.lineStart} · ${place.repository} ${place.version}${others}${found.superseded ? " · replaced" : ""}`;
}

export function details(found: Found): string {
  const licence = found.location?.licence || "licence unknown";
  return [found.summary, licence, found.score ? found.score.toFixed(3) : ""].filter(Boolean).join(" · ");
}

/** Code in a tooltip. It was written by third parties: nothing in it is a link, a command or markup. */
export function tooltip(found: Found): vscode.MarkdownString {
  const language = /^\w+$/.test(found.location?.language ?? "") ? (found.location?.language ?? "") : "";
  const said = [title(found), where(found), details(found)].join("\n");
  return new vscode.MarkdownString(`${fenced(said, "text")}\n${fenced(found.code, language)}\n`);
}

/** A block that ends where we end it: its fence is longer than any in the text. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map((run) => run[0].length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** What an answer says beside its results. */
export function message(answer: Answer): string {
  const waiting = answer.indexLag > 0 ? `, ${answer.indexLag} not yet` : "";
  return [`${counted(answer.results.length, "result")} of ${answer.indexed} indexed${waiting}.`, answer.note]
    .filter(Boolean)
    .join(" ");
}

/** What goes on now that a step of an augmented search is done. */
export function going(piece: Piece): string {
  const words = piece.goingOn || "the search goes on";
  return words[0].toUpperCase() + words.slice(1);
}

export function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}
