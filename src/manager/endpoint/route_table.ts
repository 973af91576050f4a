import { type MetricsRegistry, type MetricsView, OncePerSecond, type World } from "../../base/mod.ts";
import type { LeaderMigration } from "../controller_leaders.ts";
import { isGateOn } from "../feature_gates.ts";
import type { Health } from "../health.ts";
import { whyAnswer } from "../journal/mod.ts";
import type { ManagerOptions } from "../options.ts";
import type { Ask } from "../questions.ts";
import { jsonAnswer } from "./answers.ts";
import { configuration } from "./configz.ts";
import type { HealthRecord } from "./health_record.ts";
import { collectMetrics, metricsPage, slisPage } from "./metrics_pages.ts";
import { processUsage, registerProcessMetrics } from "./process_metrics.ts";
import { profilingRoutes } from "./profiling_pages.ts";
import { readiness, readinessPage } from "./readiness.ts";
import { controllerPage, flagsIndexPage, type Route, verbosityPage, versionPage } from "./routes.ts";
import { flagzPage, statuszPage } from "./z_pages.ts";

/** The data that the endpoint's pages show. */
export interface EndpointContents {
  readonly world: World;
  readonly options: ManagerOptions;
  readonly health: Health;
  /** The results of the checks of `health`. */
  readonly record: HealthRecord;
  readonly metrics: MetricsRegistry;
  /** The leader migration, if enabled. */
  readonly migration?: LeaderMigration;
  /** Asks the threads of the controllers. */
  readonly ask: Ask;
  setVerbosity(verbosity: number): void;
}

/**
 * All routes of the endpoint. Health, readiness and metrics are computed at most once a second, however many ask.
 *
 * @param options.signal Aborts when no more responses are needed.
 */
export async function routeTable(
  contents: EndpointContents,
  { view, signal }: { readonly view: MetricsView; readonly signal: AbortSignal },
): Promise<Route[]> {
  const { world, options, health, record, metrics, migration, ask, setVerbosity } = contents;
  const { flags, gates } = options;
  const usage = await processUsage();
  const startSeconds = registerProcessMetrics(world, { metrics, gates, usage, version: options.reportedVersion });
  const page = { clock: world.clock, startSeconds };
  const status = () => ({
    program: flags.component.name,
    startMs: startSeconds * 1000,
    upMs: world.clock.wallMs() - startSeconds * 1000,
    runtime: `Deno ${Deno.version.deno}`,
    binaryVersion: options.reportedVersion.slice(1),
    emulationVersion: gates.emulatedVersion,
  });
  // Strangers may request health as often as they like, and metrics too if a flag allows it.
  const [checks, ready, collected] = [
    new OncePerSecond(world.clock, () => Promise.try(() => health.check())),
    new OncePerSecond(world.clock, () => Promise.try(() => readiness(health, metrics))),
    new OncePerSecond(world.clock, () => collectMetrics(world.clock, { metrics, ask, view })),
  ];
  const profiling: Route[] = [
    { path: "/debug/flags/v", answer: (request) => verbosityPage(request, setVerbosity) },
    { path: "/debug/flags", answer: flagsIndexPage },
    { path: "/debug/flags/*", answer: flagsIndexPage },
  ];
  return [
    { path: "/healthz", answer: async (request) => health.respond(request, await checks.get()) },
    { path: "/readyz", answer: async () => readinessPage(await ready.get()) },
    {
      path: "/metrics",
      answer: async (_, peer) => await metricsPage(peer, { ...page, collected: await collected.get() }),
    },
    { path: "/metrics/slis", answer: (_, peer) => slisPage(peer, { ...page, record }) },
    {
      path: "/configz",
      answer: () => jsonAnswer(configuration(flags, { controllers: options.controllerEntries, migration })),
    },
    {
      path: "/version",
      methods: ["GET", "HEAD"],
      answer: () => versionPage(options.reportedVersion, gates.emulatedVersion),
    },
    ...isGateOn(gates, "ComponentFlagz")
      ? [{ path: "/flagz", answer: (request: Request) => flagzPage(request, flags) }]
      : [],
    ...isGateOn(gates, "ComponentStatusz")
      ? [{ path: "/statusz", answer: (request: Request) => statuszPage(request, status()) }]
      : [],
    ...flags.bool("profiling") ? [...profiling, ...profilingRoutes(world.clock, signal)] : [],
    {
      path: "/debug/why",
      answer: (request) => whyAnswer(request, { clock: world.clock, ask: (query) => ask({ about: "journal", query }) }),
    },
    { path: "/debug/controllers/*", answer: (request, { asked: { path } }) => controllerPage(request, { path, ask }) },
  ];
}
