// The panel: the results of the last question, which stay.
import * as vscode from "vscode";
import { counted, details, going, message, title, tooltip, where } from "./results";
import type { Answer, Found, Piece, Question } from "./retriever";

/** Leads to the results behind those that are shown. */
export const FURTHER = Symbol("further results");
export type Item = Found | typeof FURTHER;
export type Ask = (question: Question, signal: AbortSignal) => Promise<Answer | undefined>;
export type AskInPieces = (
  question: Question,
  tell: (piece: Piece) => void,
  signal: AbortSignal,
) => Promise<Answer | undefined>;

export class Panel implements vscode.TreeDataProvider<Item> {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  private results: Found[] = [];
  private question: Question | undefined;
  private cursor = "";
  /** How the question is called in what is told of its results. */
  private asked = "";
  /** Calls the question off that is asked now: another one, or none, takes its place. */
  private running = new AbortController();
  private view: vscode.TreeView<Item> | undefined;

  constructor(
    private readonly ask: Ask,
    private readonly askInPieces: AskInPieces,
  ) {}

  /** Show the panel in a view of the editor. */
  attach(): vscode.Disposable {
    this.view = vscode.window.createTreeView<Item>("touchstone.results", { treeDataProvider: this });
    return this.view;
  }

  getChildren(of?: Item): Item[] {
    if (of) return [];
    return this.cursor ? [...this.results, FURTHER] : this.results;
  }

  getTreeItem(item: Item): vscode.TreeItem {
    if (item === FURTHER) {
      const further = new vscode.TreeItem("Further results");
      further.command = { command: "touchstone.further", title: "Further Results" };
      return further;
    }
    const shown = new vscode.TreeItem(title(item));
    shown.id = item.functionId;
    shown.description = where(item);
    shown.tooltip = tooltip(item);
    shown.contextValue = "result";
    shown.iconPath = new vscode.ThemeIcon(item.form === "class" ? "symbol-class" : "symbol-method");
    shown.accessibilityInformation = { label: `${title(item)}, ${where(item)}, ${details(item)}` };
    shown.command = { command: "touchstone.openResult", title: "Open", arguments: [item] };
    return shown;
  }

  /** Ask, and show what comes; what stood there stays where nothing comes. */
  async run(question: Question, asked: string): Promise<void> {
    const { signal } = this.begin();
    const answer = await this.ask(question, signal);
    if (!answer || signal.aborted) return;
    this.show(question, asked, answer);
    await this.reveal();
  }

  /** Ask with a model; what there is so far is shown as it comes, and stays where somebody calls it off. */
  async runWithModel(query: string, asked: string): Promise<void> {
    const question: Question = { query, mode: "augmented" };
    const where = { location: vscode.ProgressLocation.Notification, title: `Touchstone: ${asked}`, cancellable: true };
    const running = this.begin();
    await vscode.window.withProgress(where, async (progress, token) => {
      token.onCancellationRequested(() => running.abort());
      let revealed = false;
      const answer = await this.askInPieces(
        question,
        (piece) => {
          if (running.signal.aborted) return;
          progress.report({ message: going(piece) });
          if (!piece.answer) return;
          this.show(question, asked, piece.answer, ` ${going(piece)} …`);
          if (!revealed && this.results.length) void this.reveal();
          revealed ||= this.results.length > 0;
        },
        running.signal,
      );
      // Who asked something else, or cleared the panel, is told nothing of it any more.
      if (this.running !== running) return;
      if (answer) this.show(question, asked, answer);
      else if (revealed) this.tell(`${asked}: ${counted(this.results.length, "result")} without the model's last word.`);
      if (answer && !revealed) await this.reveal();
    });
  }

  /** Add the results behind those that are shown. */
  async further(): Promise<void> {
    const { question, cursor } = this;
    if (!question || !cursor) return;
    // A model's search that was called off leaves results, and there may be more behind them.
    const { signal } = this.running.signal.aborted ? this.begin() : this.running;
    const answer = await this.ask({ ...question, cursor }, signal);
    // Another question, or the same results asked for twice.
    if (!answer || this.question !== question || this.cursor !== cursor) return;
    const known = new Set(this.results.map((found) => found.functionId));
    const results = [...this.results, ...answer.results.filter((found) => !known.has(found.functionId))];
    this.show(question, this.asked, { ...answer, results });
  }

  clear(): void {
    this.begin();
    [this.question, this.results, this.cursor] = [undefined, [], ""];
    this.tell("");
  }

  /** Required by `reveal`: every result stands at the top. */
  getParent(): undefined {
    return undefined;
  }

  /** What was asked before is not waited for any more. */
  private begin(): AbortController {
    this.running.abort();
    this.running = new AbortController();
    return this.running;
  }

  private show(question: Question, asked: string, answer: Answer, more = ""): void {
    [this.question, this.asked, this.results, this.cursor] = [question, asked, answer.results, answer.nextCursor];
    this.tell(`${asked}: ${message(answer)}${more}`);
  }

  /** The first result is brought into sight, which opens the panel; the focus stays with who typed. */
  private async reveal(): Promise<void> {
    if (this.results.length) await this.view?.reveal(this.results[0], { select: true, focus: false });
  }

  private tell(text: string): void {
    if (this.view) this.view.message = text || undefined;
    this.changed.fire();
  }
}

