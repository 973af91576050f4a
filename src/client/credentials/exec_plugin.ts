import { encodeBase64 } from "@std/encoding/base64";
import { errorText, type MetricsRegistry, type World } from "../../base/mod.ts";
import type { ExecConfig } from "../client_config.ts";
import { Deadline } from "../deadline.ts";
import type { Credentials } from "./credentials.ts";
import { type ExecAnswer, readExecAnswer } from "./exec_answer.ts";
import { ExecMetrics } from "./exec_metrics.ts";
import type { ExecRunner } from "./exec_runner.ts";

/** Options of {@link ExecPlugin}. */
export interface ExecPluginOptions {
  readonly world: World;
  readonly config: ExecConfig;
  readonly run: ExecRunner;
  readonly metrics: MetricsRegistry;
  /** Whether a person can answer the plugin's questions. */
  readonly isTerminal: () => boolean;
}

/** A request waits at most 90 s. The next one should find a fresh run of the plugin, not one that hangs. */
const TIMEOUT_MS = 60_000;
const HINTS_PER_HOUR = 10;
const HOUR_MS = 3_600_000;

/**
 * Credentials from a program.
 *
 * Contract:
 * 1. The program runs when there is no answer yet, when the answer has expired, and after a 401 to what it answered.
 * 2. It runs once at a time: requests meanwhile wait for the same answer.
 * 3. After a failed run following a 401 the old answer stays in use.
 * 4. A run that takes more than a minute is ended and has failed, unless it may ask a person questions.
 * 5. A client certificate other than the one before is told to `onCertificate`, whose owner closes the connections.
 *
 * Upstream: `client-go/plugin/pkg/client/auth/exec`, which waits for the program for ever.
 */
export class ExecPlugin implements Credentials {
  readonly #options: ExecPluginOptions;
  readonly #metrics: ExecMetrics;
  #answer?: ExecAnswer;
  #running?: Promise<ExecAnswer>;
  readonly #hintsMs: number[] = [];
  /** Called after the certificate has changed from one to another. */
  onCertificate: () => void = () => {};

  constructor(options: ExecPluginOptions) {
    this.#options = options;
    this.#metrics = new ExecMetrics(options.metrics);
  }

  async authorization(): Promise<string | undefined> {
    const { token } = await this.#current();
    return token === undefined ? undefined : `Bearer ${token}`;
  }

  /** The client certificate for a new connection. */
  async certificate(): Promise<ExecAnswer["certificate"]> {
    return (await this.#current()).certificate;
  }

  async refused(authorization: string | undefined): Promise<void> {
    const token = this.#answer?.token;
    const isCurrent = authorization === (token === undefined ? undefined : `Bearer ${token}`);
    if (!isCurrent) return; // refreshed since
    try {
      await this.#refresh();
    } catch (err) {
      this.#options.world.log.error("Refreshing credentials", { err });
    }
  }

  async #current(): Promise<ExecAnswer> {
    const expiresMs = this.#answer?.expiresMs ?? Infinity;
    const isValid = this.#answer && this.#options.world.clock.wallMs() < expiresMs;
    return isValid ? this.#answer! : await this.#refresh();
  }

  #refresh(): Promise<ExecAnswer> {
    return this.#running ??= this.#run().finally(() => this.#running = undefined);
  }

  async #run(): Promise<ExecAnswer> {
    const { world, config } = this.#options;
    let answer: ExecAnswer;
    try {
      answer = readExecAnswer(await this.#stdout(), config.apiVersion);
    } catch (error) {
      const why = errorText(error);
      throw new Error(`getting credentials: ${why}`, { cause: error });
    }
    const before = this.#answer?.certificate;
    this.#answer = answer;
    const { expiresMs } = answer;
    this.#metrics.ttlSeconds.set(expiresMs === undefined ? Infinity : (expiresMs - world.clock.wallMs()) / 1000);
    const { cert, key } = answer.certificate ?? {};
    if (before && (before.cert !== cert || before.key !== key)) this.onCertificate();
    return answer;
  }

  async #stdout(): Promise<string> {
    const { config, run } = this.#options;
    const { command, args } = config;
    const interactive = this.#isInteractive();
    const env = Object.fromEntries(config.env.map(({ name, value }) => [name, value]));
    env.KUBERNETES_EXEC_INFO = JSON.stringify(execInfo(config, interactive));
    using deadline = this.#deadline(interactive);
    let result: Awaited<ReturnType<ExecRunner>>;
    try {
      result = await run({ command, args, env, interactive, signal: deadline.signal });
    } catch (cause) {
      const isMissing = cause instanceof Deno.errors.NotFound;
      this.#metrics.called(isMissing ? "plugin_not_found_error" : "client_internal_error", 1);
      if (!isMissing) throw new Error(`exec: executable ${command} could not be run: ${String(cause)}`, { cause });
      throw new Error(`exec: executable ${command} not found${this.#hint()}`, { cause });
    }
    if (result.code !== 0) {
      this.#metrics.called("plugin_execution_error", result.code);
      throw new Error(`exec: executable ${command} failed with exit code ${result.code}${this.#hint()}`);
    }
    this.#metrics.called("no_error", 0);
    return result.stdout;
  }

  #deadline(interactive: boolean): Deadline {
    const reason = () => new Error(`it has not ended within ${TIMEOUT_MS / 1000} s`);
    return new Deadline(this.#options.world.clock, { timeoutMs: interactive ? undefined : TIMEOUT_MS, reason });
  }

  #isInteractive(): boolean {
    const { config: { interactiveMode }, isTerminal } = this.#options;
    if (interactiveMode === "Never") return false;
    const interactive = isTerminal();
    if (interactiveMode === "Always" && !interactive) {
      throw new Error("exec plugin cannot support interactive mode: standard input is not a terminal");
    }
    return interactive;
  }

  #hint(): string {
    const { world, config: { installHint } } = this.#options;
    const nowMs = world.clock.monotonicMs();
    while (this.#hintsMs.length > 0 && nowMs - this.#hintsMs[0] >= HOUR_MS) this.#hintsMs.shift();
    if (installHint === "" || this.#hintsMs.length >= HINTS_PER_HOUR) return "";
    this.#hintsMs.push(nowMs);
    return `: ${installHint}`;
  }
}

function execInfo({ apiVersion, cluster }: ExecConfig, interactive: boolean) {
  return {
    kind: "ExecCredential",
    apiVersion,
    spec: {
      cluster: cluster && {
        server: cluster.server,
        "tls-server-name": cluster.tlsServerName,
        "insecure-skip-tls-verify": cluster.insecureSkipTlsVerify,
        "certificate-authority-data": cluster.certificateAuthority && encodeBase64(cluster.certificateAuthority),
        "proxy-url": cluster.proxyUrl,
        "disable-compression": cluster.disableCompression,
        config: cluster.config,
      },
      interactive,
    },
  };
}
