// What the extension can be told. Whatever decides where a token goes is of scope "machine": no workspace can set it.
import * as fs from "node:fs/promises";
import * as os from "node:os";
import * as path from "node:path";
import * as vscode from "vscode";

export const DEFAULT_ADDRESS = "127.0.0.1:7103";

export interface Settings {
  address: string;
  stateFolder: string;
  tokenFile: string;
  tlsAuthority: string;
  /** Seconds. */
  timeoutSeconds: number;
  limit: number;
  repositories: string[];
  languages: string[];
  classes: boolean;
}

export interface Endpoint {
  address: string;
  /** Empty where there is none. */
  token: string;
  /** PEM certificates; "system" for those that the machine trusts; empty speaks without TLS. */
  authority: string;
}

/** A setting is wrong; the message says which, and what to do. */
export class SettingError extends Error {}

export function settings(): Settings {
  const kept = vscode.workspace.getConfiguration("touchstone");
  return {
    address: kept.get<string>("address", "").trim(),
    stateFolder: kept.get<string>("stateFolder", "").trim(),
    tokenFile: kept.get<string>("tokenFile", "").trim(),
    tlsAuthority: kept.get<string>("tlsAuthority", "").trim(),
    timeoutSeconds: kept.get<number>("timeoutSeconds", 15),
    limit: kept.get<number>("limit", 20),
    repositories: kept.get<string[]>("repositories", []),
    languages: kept.get<string[]>("languages", []),
    classes: kept.get<boolean>("classes", false),
  };
}

/**
 * Where the retriever is, and what it is shown.
 *
 * @param secret The token that was kept by "Set Token".
 * @throws SettingError A file that a setting names cannot be used, or a token would travel unencrypted.
 */
export async function endpoint(chosen: Settings, secret: () => Thenable<string | undefined>): Promise<Endpoint> {
  const address = chosen.address || (await addressOfPlatform(chosen.stateFolder)) || DEFAULT_ADDRESS;
  const token = (await secret()) || (await tokenOf(chosen));
  if (/[^!-~]/.test(token)) {
    throw new SettingError('The token holds what no token holds: run "Touchstone: Set Token", or correct touchstone.tokenFile.');
  }
  const named = chosen.tlsAuthority;
  const authority = named && named !== "system" ? await read(named, "touchstone.tlsAuthority") : named;
  if (token && !authority && !isOfThisMachine(address)) {
    throw new SettingError(
      `The token would travel unencrypted to ${address}: name the server's authority in touchstone.tlsAuthority.`,
    );
  }
  return { address, token, authority };
}

async function tokenOf(chosen: Settings): Promise<string> {
  if (chosen.tokenFile) return (await read(chosen.tokenFile, "touchstone.tokenFile")).trim();
  if (!chosen.stateFolder) return "";
  // A platform of tests may have none.
  return fs.readFile(path.join(home(chosen.stateFolder), "token"), "utf8").then((text) => text.trim(), () => "");
}

async function addressOfPlatform(stateFolder: string): Promise<string> {
  if (!stateFolder) return "";
  const text = await read(path.join(stateFolder, "platform.json"), "touchstone.stateFolder");
  try {
    const found: unknown = JSON.parse(text).services.retriever.grpc;
    if (typeof found === "string") return found;
  } catch {
    // Said below.
  }
  throw new SettingError(`${stateFolder}/platform.json names no retriever: is touchstone.stateFolder a .state folder?`);
}

async function read(file: string, setting: string): Promise<string> {
  try {
    return await fs.readFile(home(file), "utf8");
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new SettingError(`${file} cannot be read (${code}): correct ${setting}.`);
  }
}

function home(file: string): string {
  return file === "~" || file.startsWith("~/") ? path.join(os.homedir(), file.slice(1)) : file;
}

function isOfThisMachine(address: string): boolean {
  const host = address.replace(/:\d+$/, "");
  return address.startsWith("unix:") || /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/.test(host);
}
