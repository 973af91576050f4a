/** The emulator of the Hetzner Cloud API as a program beside, and what is asked of it. */
import { eventually, Process } from "./process.ts";
import type { Fault } from "../emulators/hcloud/faults.ts";
import type { Seen } from "../emulators/hcloud/emulator.ts";

const PROGRAM = new URL("../emulators/hcloud/main.ts", import.meta.url).pathname;

interface Said {
  readonly endpoint: string;
  readonly control: string;
  readonly token: string;
}

export class HcloudProgram implements AsyncDisposable {
  readonly #process: Process;
  readonly #said: Said;

  private constructor(process: Process, said: Said) {
    this.#process = process;
    this.#said = said;
  }

  static async start(...flags: readonly string[]): Promise<HcloudProgram> {
    const args = ["run", "--no-check", "--allow-net=127.0.0.1", PROGRAM, ...flags];
    const process = new Process("hcloud-emulator", Deno.execPath(), { args });
    const line = await eventually("the emulator says where it is", () => {
      if (process.exit) throw new Error(`it ended with ${process.exit.code}: ${process.output}`);
      return /^\{.*\}$/m.exec(process.output)?.[0];
    });
    return new HcloudProgram(process, JSON.parse(line) as Said);
  }

  /** By which a manager finds it. */
  get env(): Record<string, string> {
    return { HCLOUD_ENDPOINT: this.#said.endpoint, HCLOUD_TOKEN: this.#said.token };
  }

  /** Asks its API. */
  async api(path: string, method = "GET"): Promise<Response> {
    const headers = { authorization: `Bearer ${this.#said.token}` };
    return await fetch(this.#said.endpoint + path, { method, headers, signal: AbortSignal.timeout(60_000) });
  }

  /** @returns The fault's number. */
  async fault(fault: Fault): Promise<number> {
    return (await this.control<{ readonly id: number }>("POST", "/faults", fault)).id;
  }

  /** For how many requests all faults were so far. */
  async faulty(): Promise<number> {
    const faults = await this.control<readonly { readonly used: number }[]>("GET", "/faults");
    return faults.reduce((sum, { used }) => sum + used, 0);
  }

  async mend(): Promise<void> {
    await this.control("DELETE", "/faults");
  }

  async requests(): Promise<readonly Seen[]> {
    return await this.control("GET", "/requests");
  }

  /** @throws {Error} If it refuses. */
  async control<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(this.#said.control + path, { method, body: body && JSON.stringify(body) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status}: ${text}`);
    return JSON.parse(text) as T;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process[Symbol.asyncDispose]();
  }
}
