import { createLogger } from "../../log/mod.ts";
import { errorText, systemWorld, warningsOnly, type World } from "../../base/mod.ts";
import {
  type ClientConfig,
  connectionFailureOf,
  Deadline,
  exchangeOf,
  transportOf,
  userAgent,
} from "../../client/mod.ts";
import { FlagError } from "../../manager/mod.ts";
import { printLine, refuse, write } from "../output.ts";
import { OWN_AGENT } from "../own_agent.ts";
import { stopSignals } from "../stop_signals.ts";
import { trustAuthorityOf } from "../trusted_authorities.ts";
import { readWhyRequest, WHY_USAGE, type WhyRequest } from "./flags.ts";
import { managersFor } from "./managers.ts";

type Question = Extract<WhyRequest, { type: "why" }>;

const TIMEOUT_MS = 15_000;

/**
 * The `why` command.
 *
 * @returns The exit code: 0 with an answer, 1 for invalid flags or an unusable configuration, if no manager can be
 *   reached, and if it knows nothing.
 */
export async function whyCommand(args: readonly string[]): Promise<number> {
  let request: WhyRequest;
  try {
    request = readWhyRequest(args);
  } catch (error) {
    if (!(error instanceof FlagError)) throw error;
    return refuse(error.message, "Usage:\n  kubeloop why TYPE/NAME [flags]\n\nSee 'kubeloop why --help'.");
  }
  if (request.type === "help") {
    printLine(WHY_USAGE);
    return 0;
  }
  const logger = createLogger({ format: "text", verbosity: request.verbosity, pid: Deno.pid });
  const world = systemWorld(request.verbosity > 0 ? logger : warningsOnly(logger));
  try {
    write(await askAny(world, request), Deno.stdout);
    return 0;
  } catch (error) {
    return refuse(errorText(error).trim().replaceAll(/(?<!\s)\s*\n\s*/g, " "));
  } finally {
    logger.flush();
  }
}

/** The answer of the first manager that can be reached. */
async function askAny(world: World, question: Question): Promise<string> {
  using stop = stopSignals(() => {});
  const unreached: string[] = [];
  for (const manager of await managersFor(world, question, Deno.env.toObject())) {
    try {
      return await ask(world, { manager, question, signal: stop.signal });
    } catch (error) {
      // If only TLS fails, there is a server, and the error says what is wrong.
      if ([undefined, "tls"].includes(connectionFailureOf(error))) throw error;
      unreached.push(`${manager.server} (${errorText(error)})`);
    }
  }
  throw new Error(`no manager answers at ${unreached.join(" nor at ")}; name its secure port with --server`);
}

async function ask(
  world: World,
  { manager, question, signal }: {
    readonly manager: ClientConfig;
    readonly question: Question;
    readonly signal: AbortSignal;
  },
): Promise<string> {
  const { target: { type, name }, namespace, output } = question;
  const where = namespace || manager.namespace || "default";
  const query = new URLSearchParams({ resource: type, namespace: where, name });
  const url = `${manager.server.replace(/(?<!\/)\/+$/, "")}/debug/why?${query}`;
  const accept = output === "json" ? "application/json" : "text/plain";
  trustAuthorityOf(manager);
  const transport = transportOf(world, manager, { env: Deno.env.toObject(), mayWrite: () => false });
  const reason = () => new Deno.errors.TimedOut(`no answer within ${TIMEOUT_MS / 1000} s`);
  using deadline = new Deadline(world.clock, { signal, timeoutMs: TIMEOUT_MS, reason });
  try {
    const headers = { accept, "user-agent": userAgent("why", OWN_AGENT) };
    const response = await exchangeOf(transport)({ method: "GET", url, headers, signal: deadline.signal });
    const text = await response.text();
    if (response.status === 200) return text;
    throw new Error(refusalText(manager.server, response.status, text));
  } finally {
    transport.close();
  }
}

function refusalText(server: string, status: number, text: string): string {
  const said = messageIn(text);
  switch (status) {
    case 401:
      return `${server} does not accept these credentials: give those of somebody who may get /debug/why with --kubeconfig`;
    case 403:
      return `${server} refuses: ${said}; give the credentials of somebody who may get /debug/why with --kubeconfig`;
    case 400:
    case 503:
      return said;
    case 404:
      if (said.startsWith("nothing is known")) return said;
      return `${server} does not know the path /debug/why: it is not a kubeloop manager, or an older one`;
    default:
      return `${server} answers with ${status}: ${said}`;
  }
}

/** The message in an answer: that of a Status, or the text itself. */
function messageIn(text: string): string {
  try {
    const { message } = JSON.parse(text);
    if (typeof message === "string") return message;
  } catch {
    // It is plain text.
  }
  return text.trim().slice(0, 500);
}
