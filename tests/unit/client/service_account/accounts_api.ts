/** An API server that knows ServiceAccounts of kube-system and gives tokens for them. */
import { formatTime } from "../../../../src/api/mod.ts";
import { FakeWorld } from "../../../../src/base/mod.ts";
import { Client, type Transport } from "../../../../src/client/mod.ts";
import { SERVER } from "../test_server.ts";

const BASE = "/api/v1/namespaces";
const ACCOUNTS = `${BASE}/kube-system/serviceaccounts`;

export class AccountsApi {
  readonly world = new FakeWorld();
  readonly namespaces = new Set(["kube-system"]);
  readonly accounts = new Set<string>();
  /** Each request's method and the end of its path, such as `GET serviceaccounts/a`, and when it came. */
  readonly seen: { readonly line: string; readonly atMs: number; readonly body: string; readonly agent: string }[] = [];
  /** Of the tokens that are given. */
  lifetimeSeconds = 3600;
  /** Looked at before anything else; its answer is given instead. */
  fault: (line: string) => Response | Error | undefined = () => undefined;

  /** Tokens are `token-1`, `token-2` and so on. */
  issued = 0;

  readonly transport: Transport = async (request) => {
    const path = new URL(request.url).pathname;
    const line = `${request.method} ${path.replace(`${BASE}/kube-system/`, "").replace("/api/v1/", "")}`;
    const agent = request.headers.get("user-agent") ?? "";
    this.seen.push({ line, atMs: this.world.clock.monotonicMs(), body: await request.text(), agent });
    const fault = this.fault(line);
    if (fault instanceof Error) throw fault;
    return fault ?? this.#answer(request.method, path, this.seen.at(-1)!.body);
  };

  get lines(): string[] {
    return this.seen.map(({ line }) => line);
  }

  client(): Client {
    return new Client({ world: this.world, transport: this.transport, server: SERVER, userAgent: "test" });
  }

  #answer(method: string, path: string, body: string): Response {
    const name = path.split("/").at(-1)!;
    if (path.endsWith("/token")) return this.#token(path.split("/").at(-2)!);
    const isAccount = path.startsWith(ACCOUNTS);
    const known = isAccount ? this.accounts : this.namespaces;
    if (method === "GET") return known.has(name) ? Response.json({ metadata: { name } }) : refusal("NotFound");
    const { metadata } = JSON.parse(body);
    if (isAccount && !this.namespaces.has("kube-system")) return refusal("NotFound");
    if (known.has(metadata.name)) return refusal("AlreadyExists");
    known.add(metadata.name);
    return Response.json({ metadata }, { status: 201 });
  }

  #token(account: string): Response {
    if (!this.accounts.has(account)) return refusal("NotFound");
    const expirationTimestamp = formatTime(this.world.clock.wallMs() + this.lifetimeSeconds * 1000);
    return Response.json({ status: { token: `token-${++this.issued}`, expirationTimestamp } }, { status: 201 });
  }
}

const CODES = { NotFound: 404, AlreadyExists: 409, Forbidden: 403, InternalError: 500 } as const;

/** An answer that is no success. */
export function refusal(reason: keyof typeof CODES): Response {
  const code = CODES[reason];
  return Response.json({
    apiVersion: "v1",
    kind: "Status",
    status: "Failure",
    reason,
    code,
    message: `it is ${reason}`,
  }, {
    status: code,
  });
}
