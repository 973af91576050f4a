import { createLogger } from "../../log/mod.ts";
import { errorText, systemWorld, warningsOnly, type World } from "../../base/mod.ts";
import { Client, loadClientConfig, TokenBucket, transportOf, userAgent } from "../../client/mod.ts";
import { FlagError } from "../../manager/mod.ts";
import { printLine, refuse } from "../output.ts";
import { OWN_AGENT } from "../own_agent.ts";
import { stopSignals } from "../stop_signals.ts";
import { trustAuthorityOf } from "../trusted_authorities.ts";
import { explain } from "./explain.ts";
import { EXPLAIN_USAGE, type ExplainRequest, readRequest } from "./flags.ts";
import type { Explanation } from "./finding.ts";
import { explanationText } from "./text.ts";

/** The same limit as kubectl's. */
const QPS = 50;
const BURST = 300;
/** For each request: an API that hangs is one of the possible findings. */
const TIMEOUT_MS = 15_000;

type Question = Extract<ExplainRequest, { type: "explain" }>;

/**
 * The `explain` command.
 *
 * @returns The exit code: 0 with an answer, 1 for invalid flags, an unusable configuration, or a kind or object that
 *   cannot be read.
 */
export async function explainCommand(args: readonly string[]): Promise<number> {
  let request: ExplainRequest;
  try {
    request = readRequest(args);
  } catch (error) {
    if (!(error instanceof FlagError)) throw error;
    return refuse(error.message, "Usage:\n  kubeloop explain TYPE/NAME [flags]\n\nSee 'kubeloop explain --help'.");
  }
  if (request.type === "help") {
    printLine(EXPLAIN_USAGE);
    return 0;
  }
  const logger = createLogger({ format: "text", verbosity: request.verbosity, pid: Deno.pid });
  try {
    const answer = await ask(systemWorld(request.verbosity > 0 ? logger : warningsOnly(logger)), request);
    const isColoured = Deno.stdout.isTerminal() && Deno.env.get("TERM") !== "dumb";
    printLine(request.output === "json" ? JSON.stringify(answer, null, 2) : explanationText(answer, { isColoured }));
    return 0;
  } catch (error) {
    return refuse(errorText(error).replaceAll("\n", " "));
  } finally {
    logger.flush();
  }
}

async function ask(world: World, { target, namespace, kubeconfig, context }: Question): Promise<Explanation> {
  const env = Deno.env.toObject();
  const config = await loadClientConfig(world, {
    kubeconfig: kubeconfig || undefined,
    context: context || undefined,
    env,
  });
  using stop = stopSignals(() => {});
  // Guarantees that this command never writes, whatever bugs it has.
  trustAuthorityOf(config);
  const transport = transportOf(world, config, { env, mayWrite: () => false });
  try {
    const client = new Client({
      world,
      transport,
      server: config.server,
      userAgent: userAgent("explain", OWN_AGENT),
      limiter: new TokenBucket(world.clock, { qps: QPS, burst: BURST }),
      timeoutMs: TIMEOUT_MS,
    });
    const where = namespace || config.namespace || "default";
    return await explain({ world, client, target, namespace: where, signal: stop.signal });
  } finally {
    transport.close();
  }
}
