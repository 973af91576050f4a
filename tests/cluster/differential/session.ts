import { parse as parseYaml } from "@std/yaml";
import { MemoryLogger, sleep, systemWorld } from "../../../src/base/mod.ts";
import { Normaliser, without, withoutWording } from "./normalise.ts";
import type { Answer, Probe } from "./probe.ts";
import type { Server } from "./servers.ts";

const UNTIL_MS = 10_000;
const clock = systemWorld(new MemoryLogger()).clock;

/** One server during one case: its namespace and what was saved. */
export class Session {
  readonly #server: Server;
  readonly #saved: Record<string, unknown>;
  readonly #normaliser = new Normaliser();
  readonly #namespace: string;

  constructor(server: Server, namespace: string) {
    this.#server = server;
    this.#namespace = namespace;
    this.#saved = { ns: namespace };
  }

  async prepare(): Promise<void> {
    const post = (path: string, body: unknown) => this.send({ method: "POST", path, body });
    const made = await post("/api/v1/namespaces", { metadata: { name: this.#namespace } });
    if (made.status !== 201) throw new Error(`No namespace on ${this.#server.url}: ${JSON.stringify(made)}`);
    await post("/api/v1/namespaces/{ns}/serviceaccounts", { metadata: { name: "default" } });
  }

  async send(probe: Probe): Promise<Answer> {
    const endMs = clock.monotonicMs() + UNTIL_MS;
    for (;;) {
      const { response, body } = await this.#exchange(probe);
      if (probe.until && !probe.until(body)) {
        if (clock.monotonicMs() > endMs) throw new Error(`${probe.method} ${probe.path} never came to be as wanted`);
        await sleep(clock, 50);
        continue;
      }
      if (probe.save) this.#saved[probe.save] = body;
      return this.#answerOf(probe, response, body);
    }
  }

  async #exchange({ method, path, body, type, headers, lines }: Probe): Promise<{ response: Response; body: unknown }> {
    const text = body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body);
    const request = new Request(`${this.#server.url}${this.#filled(path)}`, {
      method,
      body: text === undefined ? undefined : this.#filled(text),
      headers: {
        "user-agent": "differential/1",
        accept: "application/json",
        ...text === undefined ? {} : { "content-type": type ?? "application/json" },
        ...mapValues(headers ?? {}, (value) => this.#filled(value)),
      },
    });
    const response = await this.#server.fetch(request);
    if (lines !== undefined) return { response, body: await readLines(response, lines) };
    const answer = await response.text();
    const isYaml = response.headers.get("content-type") === "application/yaml";
    return { response, body: isYaml ? parseYaml(answer) : parsed(answer) };
  }

  /** `text` with its placeholders replaced. */
  #filled(text: string): string {
    return text.replace(/\{(\w+(?:\.[\w-]+)*)\}/g, (placeholder, path: string) => {
      const [name, ...fields] = path.split(".");
      if (!(name in this.#saved)) return placeholder;
      // deno-lint-ignore no-explicit-any -- a path into any JSON
      const value = fields.reduce((at: any, field) => at?.[field], this.#saved[name]);
      return String(value);
    });
  }

  #answerOf(probe: Probe, response: Response, body: unknown): Answer {
    const status = isStatus(body) ? withoutWording(body) : undefined;
    const rest = status ? { ...status, reason: undefined, message: undefined, details: undefined } : body;
    const ignored = (probe.ignore?.fields ?? []).reduce((value, path) => without(value, path.split(".")), rest);
    const normalised = (value: unknown) => this.#normaliser.value(value);
    return {
      status: response.status,
      contentType: response.headers.get("content-type")?.split(",")[0] ?? null,
      warnings: response.headers.get("warning"),
      reason: status?.reason,
      message: normalised(status?.message),
      details: normalised(status?.details),
      body: normalised(ignored),
    };
  }
}

function isStatus(body: unknown): body is Record<string, unknown> {
  return typeof body === "object" && body !== null && (body as { kind?: unknown }).kind === "Status";
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The first lines of a stream, each parsed. */
async function readLines(response: Response, count: number): Promise<unknown[]> {
  const lines: unknown[] = [];
  let rest = "";
  const decoder = new TextDecoder();
  const reader = response.body!.getReader();
  while (lines.length < count) {
    const { value, done } = await reader.read();
    if (done) break;
    rest += decoder.decode(value, { stream: true });
    const complete = rest.split("\n");
    rest = complete.pop()!;
    lines.push(...complete.filter((line) => line !== "").map(parsed));
  }
  await reader.cancel();
  if (lines.length < count && rest.trim() !== "") lines.push(parsed(rest));
  return lines.slice(0, count);
}

function mapValues(record: Readonly<Record<string, string>>, map: (value: string) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
