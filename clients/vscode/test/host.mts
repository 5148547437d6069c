// A window without a screen: what the extension shows is kept here, and tests act as a person would.
import { mock } from "node:test";
import { createTextDocument, createVSCodeMock, readTextDocument } from "jest-mock-vscode";
import type * as vscode from "vscode";

const made = createVSCodeMock({ fn: mock.fn.bind(mock) } as never) as unknown as typeof vscode;

class Box {
  value = "";
  title = "";
  placeholder = "";
  busy = false;
  items: readonly vscode.QuickPickItem[] = [];
  activeItems: readonly vscode.QuickPickItem[] = [];
  shown = false;
  disposed = false;
  private readonly typed = new made.EventEmitter<string>();
  private readonly active = new made.EventEmitter<readonly vscode.QuickPickItem[]>();
  private readonly accepted = new made.EventEmitter<void>();
  private readonly hidden = new made.EventEmitter<void>();
  readonly onDidChangeValue = this.typed.event;
  readonly onDidChangeActive = this.active.event;
  readonly onDidAccept = this.accepted.event;
  readonly onDidHide = this.hidden.event;

  type(text: string): void {
    this.value = text;
    this.typed.fire(text);
  }
  goTo(place: number): void {
    this.activeItems = [this.items[place]];
    this.active.fire(this.activeItems);
  }
  accept(): void {
    this.accepted.fire();
  }
  show(): void {
    this.shown = true;
  }
  hide(): void {
    if (!this.shown) return;
    this.shown = false;
    this.hidden.fire();
  }
  dispose(): void {
    this.disposed = true;
  }
}

class Host {
  readonly vscode = made;
  readonly commands = new Map<string, (...given: unknown[]) => unknown>();
  readonly secrets = new Map<string, string>();
  settings: Record<string, unknown> = {};
  folders: string[] = [];
  /** What is open with changes that no file has. */
  unsaved: vscode.TextDocument[] = [];
  boxes: Box[] = [];
  errors: string[] = [];
  notes: string[] = [];
  /** What the next input box is answered with; undefined closes it. */
  answer: string | undefined;
  editor: vscode.TextEditor | undefined;
  opened: { uri: string; line: number; preview?: boolean; preserveFocus?: boolean }[] = [];
  /** What was told of work that takes long, and the way to call the last of it off. */
  progress: string[] = [];
  callOff: () => void = () => undefined;
  tree: { provider: vscode.TreeDataProvider<unknown>; message?: string; revealed: unknown[] } | undefined;
  private provider: vscode.TextDocumentContentProvider | undefined;

  constructor() {
    const { window, workspace, commands } = made;
    const replace = (of: object, name: string, value: unknown) =>
      Object.defineProperty(of, name, { configurable: true, ...(typeof value === "function" ? { value } : (value as object)) });
    replace(workspace, "getConfiguration", () => ({
      get: (name: string, otherwise: unknown) => this.settings[`touchstone.${name}`] ?? otherwise,
    }));
    replace(workspace, "workspaceFolders", {
      get: () => this.folders.map((path, index) => ({ uri: made.Uri.file(path), name: path, index })),
    });
    replace(workspace, "registerTextDocumentContentProvider", (_scheme: string, provider: vscode.TextDocumentContentProvider) => {
      this.provider = provider;
      return { dispose: () => (this.provider = undefined) };
    });
    replace(workspace, "textDocuments", { get: () => this.unsaved });
    replace(workspace, "openTextDocument", (uri: vscode.Uri) => this.document(uri));
    replace(window, "createQuickPick", () => {
      this.boxes.push(new Box());
      return this.boxes.at(-1);
    });
    replace(window, "createTreeView", (_id: string, options: { treeDataProvider: vscode.TreeDataProvider<unknown> }) => {
      const revealed: unknown[] = [];
      this.tree = { provider: options.treeDataProvider, revealed };
      return Object.assign(this.tree, { reveal: async (item: unknown) => revealed.push(item), dispose: () => (this.tree = undefined) });
    });
    replace(window, "showErrorMessage", async (text: string) => void this.errors.push(text));
    replace(window, "showInformationMessage", async (text: string) => void this.notes.push(text));
    replace(window, "showInputBox", async () => this.answer);
    replace(window, "withProgress", (_where: object, work: (progress: object, token: object) => Promise<unknown>) => {
      const asked = new made.EventEmitter<void>();
      this.callOff = () => asked.fire();
      const report = (told: { message: string }) => this.progress.push(told.message);
      return work({ report }, { isCancellationRequested: false, onCancellationRequested: asked.event });
    });
    replace(window, "activeTextEditor", { get: () => this.editor });
    replace(window, "showTextDocument", async (document: vscode.TextDocument, options: vscode.TextDocumentShowOptions = {}) => {
      const { preview, preserveFocus, selection } = options;
      this.opened.push({ uri: document.uri.toString(true), line: selection?.start.line ?? 0, preview, preserveFocus });
      return { document, selection, revealRange: () => undefined };
    });
    replace(commands, "registerCommand", (name: string, run: (...given: unknown[]) => unknown) => {
      this.commands.set(name, run);
      return { dispose: () => this.commands.delete(name) };
    });
  }

  /** As after a start of the editor. */
  reset(): void {
    this.commands.clear();
    this.secrets.clear();
    [this.settings, this.folders, this.boxes, this.errors, this.notes, this.opened, this.progress] = [{}, [], [], [], [], [], []];
    this.unsaved = [];
    [this.answer, this.editor, this.tree, this.provider] = [undefined, undefined, undefined, undefined];
  }

  context(): vscode.ExtensionContext {
    const secrets = {
      get: async (name: string) => this.secrets.get(name),
      store: async (name: string, value: string) => void this.secrets.set(name, value),
      delete: async (name: string) => void this.secrets.delete(name),
    };
    return { subscriptions: [], secrets } as unknown as vscode.ExtensionContext;
  }

  run(command: string, ...given: unknown[]): unknown {
    const found = this.commands.get(command);
    if (!found) throw new Error(`${command} is not registered`);
    return found(...given);
  }

  /** Whatever is shown in the panel. */
  items(): unknown[] {
    return this.tree?.provider.getChildren() as unknown[];
  }

  async document(uri: vscode.Uri): Promise<vscode.TextDocument> {
    const open = this.unsaved.find((document) => document.uri.toString() === uri.toString());
    if (open) return open;
    if (uri.scheme === "file") return readTextDocument(uri);
    const text = await this.provider?.provideTextDocumentContent(uri, undefined as never);
    return createTextDocument(uri, text ?? "");
  }

  /** Change a file in the editor, without saving it. */
  change(file: string, text: string): void {
    this.unsaved.push(createTextDocument(made.Uri.file(file), text));
  }

  /** Put somebody into an editor with some lines selected. */
  edit(text: string, from = 0, to = 0): void {
    const document = createTextDocument(made.Uri.parse("untitled:one"), text);
    this.editor = { document, selection: new made.Selection(from, 0, to, 0) } as unknown as vscode.TextEditor;
  }
}

export const host = new Host();

/** Waits for something to become true; the test runner's own limit ends it. */
export async function until<T>(look: () => T | undefined | false): Promise<T> {
  for (;;) {
    const seen = look();
    if (seen !== undefined && seen !== false) return seen;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
