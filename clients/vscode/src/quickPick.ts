// The quick pick: asks while somebody types, previews what is chosen, opens it.
import * as vscode from "vscode";
import { details, message, title, where } from "./results";
import { Abandoned, type Answer, type Found, type Question } from "./retriever";

export interface Pick extends vscode.QuickPickItem {
  found?: Found;
}

export interface Wiring {
  /** Asks; throws an error whose message is for people. */
  ask(question: Question, signal: AbortSignal): Promise<Answer>;
  /** Shows a result; what is not wanted any more by the time it is there is not shown. */
  show(found: Found, options: { preview: boolean; preserveFocus: boolean }, signal?: AbortSignal): Promise<unknown>;
  /** Milliseconds of quiet before a question is asked. */
  quietMs: number;
}

const TITLE = "Touchstone: search code";

export function openQuickPick(wiring: Wiring): vscode.QuickPick<Pick> {
  const pick = vscode.window.createQuickPick<Pick>();
  pick.title = TITLE;
  pick.placeholder = "What the code should do, in plain words";
  pick.matchOnDescription = pick.matchOnDetail = false;
  pick.keepScrollPosition = false;
  // Results stand in the order of the answer. The member is not in the published types, and does nothing where it is not known.
  (pick as unknown as { sortByLabel: boolean }).sortByLabel = false;

  const before = vscode.window.activeTextEditor;
  const [document, selection] = [before?.document, before?.selection];
  let waiting: NodeJS.Timeout | undefined;
  let running = new AbortController();
  let previewing = new AbortController();
  let opened = false;

  const ask = async (query: string) => {
    running.abort();
    running = new AbortController();
    const { signal } = running;
    if (!query) {
      pick.busy = false;
      pick.title = TITLE;
      pick.items = [];
      return;
    }
    pick.busy = true;
    let told = TITLE;
    let items: Pick[];
    try {
      const answer = await wiring.ask({ query }, signal);
      told = `Touchstone: ${message(answer)}`;
      items = answer.results.length ? answer.results.map(item) : [said("Nothing found", answer.note)];
    } catch (error) {
      if (error instanceof Abandoned) return;
      items = [said("$(error) This could not be asked", error instanceof Error ? error.message : String(error))];
    }
    if (signal.aborted) return;
    pick.title = told;
    pick.items = items;
    pick.busy = false;
  };

  pick.onDidChangeValue((value) => {
    clearTimeout(waiting);
    waiting = setTimeout(() => void ask(value.trim()), wiring.quietMs);
  });
  pick.onDidChangeActive(([active]) => {
    previewing.abort();
    previewing = new AbortController();
    if (active?.found) void wiring.show(active.found, { preview: true, preserveFocus: true }, previewing.signal);
  });
  pick.onDidAccept(() => {
    const [chosen] = pick.activeItems;
    if (!chosen?.found) return;
    opened = true;
    pick.hide();
    void wiring.show(chosen.found, { preview: false, preserveFocus: false });
  });
  pick.onDidHide(() => {
    clearTimeout(waiting);
    running.abort();
    previewing.abort();
    // Who only looked is back where they were.
    if (!opened && document) void vscode.window.showTextDocument(document, { selection });
    pick.dispose();
  });
  pick.show();
  return pick;
}

function item(found: Found): Pick {
  return { label: title(found), description: where(found), detail: details(found), alwaysShow: true, found };
}

function said(label: string, detail: string): Pick {
  return { label, detail, alwaysShow: true };
}
