// The only wiring: commands, the panel, the read-only view of what was indexed.
import * as vscode from "vscode";
import { Panel, type Item, FURTHER } from "./panel";
import { functionOf, indexedUri, placeOf, SCHEME, show } from "./places";
import { openQuickPick } from "./quickPick";
import { Abandoned, Retriever, type Answer, type Found, type Piece, type Question } from "./retriever";
import { endpoint, settings } from "./settings";

const TOKEN = "touchstone.token";
const QUIET_MS = 250;
const ASKED_CHARACTERS = 60;
// A model of one's own machine takes minutes.
const LEAST_MODEL_SECONDS = 300;

export function activate(context: vscode.ExtensionContext): void {
  const connection = new Connection(context.secrets);
  const panel = new Panel(
    (question, signal) => inWords(connection.search(question, signal)),
    (question, tell, signal) => inWords(connection.searchInPieces(question, tell, signal)),
  );
  const open = async (found: Found, options = { preview: true, preserveFocus: false }, signal?: AbortSignal) =>
    inWords(placeOf(found).then((place) => show(place, options, signal)), signal);

  const commands: Record<string, (...given: never[]) => unknown> = {
    "touchstone.search": () =>
      openQuickPick({ ask: (question, signal) => connection.search(question, signal), show: open, quietMs: QUIET_MS }),
    "touchstone.searchInPanel": async () => {
      const query = await vscode.window.showInputBox({ prompt: "What the code should do, in plain words" });
      if (query?.trim()) await panel.run({ query: query.trim() }, short(query));
    },
    "touchstone.searchWithModel": async () => {
      const query = await vscode.window.showInputBox({ prompt: "What the code should do; a model reads it first" });
      if (query?.trim()) await panel.runWithModel(query.trim(), short(query));
    },
    "touchstone.findLikeSelection": async () => {
      const editor = vscode.window.activeTextEditor;
      const code = editor?.document.getText(editor.selection) ?? "";
      if (code.trim()) await panel.run({ query: code, queryIsCode: true }, `Like ${short(code)}`);
      else void vscode.window.showInformationMessage("Select the code first that results shall be like.");
    },
    "touchstone.findLikeResult": async (found: Item) => {
      if (found === FURTHER) return;
      await panel.run({ likeFunctionId: found.functionId }, `Like ${found.location?.qualname ?? found.functionId}`);
    },
    "touchstone.openResult": (found: Found) => open(found),
    "touchstone.openIndexed": (found: Found) =>
      inWords(show({ uri: indexedUri(found), line: 0, ours: false }, { preview: true, preserveFocus: false })),
    "touchstone.further": () => panel.further(),
    "touchstone.clear": () => panel.clear(),
    "touchstone.setToken": async () => {
      const token = await vscode.window.showInputBox({
        prompt: "Token of the Touchstone platform; empty forgets the one that is kept",
        password: true,
        ignoreFocusOut: true,
      });
      if (token === undefined) return;
      await (token.trim() ? context.secrets.store(TOKEN, token.trim()) : context.secrets.delete(TOKEN));
    },
  };
  context.subscriptions.push(
    connection,
    panel.attach(),
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
      provideTextDocumentContent: async (uri) => (await connection.code(functionOf(uri))).code,
    }),
    ...Object.entries(commands).map(([name, run]) => vscode.commands.registerCommand(name, run)),
  );
}

/** One channel, dialled anew when a setting or the token changed. */
class Connection implements vscode.Disposable {
  private retriever: Retriever | undefined;
  private dialled = "";

  constructor(private readonly secrets: vscode.SecretStorage) {}

  async search(question: Question, signal?: AbortSignal): Promise<Answer> {
    const retriever = await this.dial();
    return retriever.search(narrowed(question), settings().timeoutSeconds, signal);
  }

  async searchInPieces(question: Question, tell: (piece: Piece) => void, signal: AbortSignal): Promise<Answer> {
    const retriever = await this.dial();
    const seconds = Math.max(settings().timeoutSeconds, LEAST_MODEL_SECONDS);
    return retriever.searchInPieces(narrowed(question), seconds, tell, signal);
  }

  async code(functionId: string): Promise<Found> {
    return (await this.dial()).code(functionId, settings().timeoutSeconds);
  }

  dispose(): void {
    this.retriever?.close();
  }

  private async dial(): Promise<Retriever> {
    const found = await endpoint(settings(), () => this.secrets.get(TOKEN));
    const named = JSON.stringify(found);
    if (!this.retriever || named !== this.dialled) {
      this.retriever?.close();
      [this.retriever, this.dialled] = [new Retriever(found), named];
    }
    return this.retriever;
  }
}

/** A question with what the settings say. */
function narrowed(question: Question): Question {
  const chosen = settings();
  return {
    limit: chosen.limit,
    includeClasses: chosen.classes,
    mergeDuplicates: true,
    filters: { repositories: chosen.repositories, languages: chosen.languages },
    ...question,
  };
}

/** What work gives; what goes wrong is shown to people, and undefined comes of it. */
async function inWords<T>(work: Promise<T>, signal?: AbortSignal): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    // Who does not wait any more knows.
    if (error instanceof Abandoned || signal?.aborted) return undefined;
    void vscode.window.showErrorMessage(`Touchstone: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

function short(text: string): string {
  const line = text.trim().split(/\s+/).join(" ");
  return line.length > ASKED_CHARACTERS ? `${line.slice(0, ASKED_CHARACTERS)}…` : line;
}
