import { createLogger, MetricsRegistry, systemWorld, warningsOnly, type World } from "../base/mod.ts";
import { type Deployment, DEPLOYMENTS, NAMESPACES, objectKey } from "../api/mod.ts";
import { InformerFactory } from "../cache/mod.ts";
import { Client, type Transport, TransportClientBuilder } from "../client/mod.ts";
import { CONTROLLERS } from "../controllers/mod.ts";
import {
  ControllerManager,
  type FlagDefinition,
  FlagError,
  Flags,
  managerFlags,
  managerOptions,
} from "../manager/mod.ts";
import { createApiServer, kubeconfigText, NodeSimulator, serveApiServer } from "../sandbox/mod.ts";
import { stopSignals } from "./stop_signals.ts";

const DEV_FLAGS: readonly FlagDefinition[] = [
  { name: "help", type: "bool", default: false, group: "dev" },
  { name: "port", type: "int", default: 8001, group: "dev" },
  { name: "nodes", type: "int", default: 3, group: "dev" },
  { name: "kubeconfig", type: "string", default: ".kubeloop/kubeconfig", group: "dev" },
  { name: "once", type: "bool", default: false, group: "dev" },
  { name: "v", type: "Level", default: 0, group: "dev" },
];

const USAGE =
  `Runs an API server in this process, with simulated nodes and every controller. No cluster, no files but a kubeconfig.

Usage:
  kubeloop dev [flags]

Flags:
  --port int            where the API server listens on 127.0.0.1; 0 takes a free port (default 8001)
  --nodes int           how many simulated nodes (default 3)
  --kubeconfig string   where the kubeconfig for kubectl is written (default .kubeloop/kubeconfig)
  --once                stop as soon as the example has rolled out
  -v int                log verbosity; 0 prints warnings and errors only (default 0)
`;

/** What is deployed so that there is something to see. */
const EXAMPLE: Deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "default" },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" } },
      spec: { containers: [{ name: "web", image: "nginx:1" }] },
    },
  },
};

/** The embedded API server is the transport: controllers reach it without a socket. */
const IN_PROCESS_SERVER = "http://127.0.0.1";

/**
 * The `dev` command.
 *
 * @returns The exit code: 0 after Ctrl-C or `--once`, 1 for a flag it does not know or a port it cannot have.
 */
export async function dev(args: readonly string[]): Promise<number> {
  let flags: Flags;
  try {
    flags = new Flags(DEV_FLAGS, args);
    if (flags.positional.length > 0) {
      throw new FlagError(`"dev" does not take any arguments, got ${flags.positional.join(" ")}`);
    }
  } catch (error) {
    if (!(error instanceof FlagError)) throw error;
    printLine(`Error: ${error.message}\n\n${USAGE}`, Deno.stderr);
    return 1;
  }
  if (flags.bool("help")) {
    printLine(USAGE);
    return 0;
  }
  const logger = createLogger({ format: "text", verbosity: flags.number("v"), pid: Deno.pid });
  try {
    return await run(systemWorld(flags.number("v") > 0 ? logger : warningsOnly(logger)), flags);
  } catch (error) {
    printLine(`Error: ${(error as Error).message}`, Deno.stderr);
    return 1;
  } finally {
    logger.flush();
  }
}

async function run(world: World, flags: Flags): Promise<number> {
  using stop = stopSignals(() => printLine("stopping"));
  const ended = new AbortController();
  stop.signal.addEventListener("abort", () => ended.abort(), { once: true });
  const apiServer = createApiServer({ world });
  await using served = serveApiServer({ apiServer, port: flags.number("port") });
  const path = flags.string("kubeconfig");
  await writeKubeconfig(path, kubeconfigText({ server: served.url }));
  printLine(`API server     ${served.url}`);
  printLine(`kubectl        kubectl --kubeconfig ${path} get deployments,pods`);

  const transport: Transport = (request) => apiServer.fetch(request);
  const client = new Client({ world, transport, server: IN_PROCESS_SERVER, userAgent: "kubeloop-dev" });
  const manager = new ControllerManager(managerOf(world, transport));
  const nodes = new NodeSimulator({ world, client, nodeCount: flags.number("nodes"), schedule: true });
  const running = [manager.run(ended.signal), nodes.run(ended.signal)];
  printLine(`nodes          ${flags.number("nodes")}`);
  printLine(`controllers    ${CONTROLLERS.map(({ name }) => name).join(", ")}`);
  await client.create(DEPLOYMENTS, EXAMPLE);
  running.push(showProgress(world, client, ended.signal, () => {
    if (flags.bool("once")) ended.abort();
  }));
  try {
    await Promise.all(running);
  } finally {
    ended.abort();
    await Promise.allSettled(running);
    apiServer.close();
  }
  return 0;
}

function managerOf(world: World, transport: Transport): ConstructorParameters<typeof ControllerManager>[0] {
  const options = managerOptions(managerFlags([]));
  return {
    world,
    metrics: new MetricsRegistry(),
    // Nobody shares this API server, so nothing needs to be held back.
    clients: new TransportClientBuilder({ world, transport, server: IN_PROCESS_SERVER, qps: -1, burst: 0 }),
    controllers: CONTROLLERS,
    controllerOptions: { ...options.controllerOptions, rootCaText: "" },
    minResyncPeriodMs: options.minResyncPeriodMs,
  };
}

/** A line for every change in how many pods of a Deployment are ready, and for namespaces that come and go. */
async function showProgress(
  world: World,
  client: Client,
  signal: AbortSignal,
  onExampleReady: () => void,
): Promise<void> {
  const factory = new InformerFactory({ world, client });
  const said = new Map<string, string>();
  const say = (deployment: Deployment) => {
    const key = objectKey(deployment);
    const { replicas = 0, readyReplicas = 0, updatedReplicas = 0 } = deployment.status ?? {};
    const wanted = deployment.spec?.replicas ?? 1;
    const line =
      `deployment     ${key}: ${readyReplicas}/${wanted} ready, ${updatedReplicas} up to date, ${replicas} in all`;
    if (said.get(key) !== line) printLine(line);
    said.set(key, line);
    if (key === objectKey(EXAMPLE) && readyReplicas === wanted && updatedReplicas === wanted) onExampleReady();
  };
  factory.informer(DEPLOYMENTS).addEventHandler({
    onAdd: say,
    onUpdate: (_, deployment) => say(deployment),
    onDelete: (gone) =>
      printLine(
        `deployment     ${"key" in gone ? gone.key : objectKey(gone)}: gone`,
      ),
  });
  factory.informer(NAMESPACES).addEventHandler({
    onAdd: (space, isInInitialList) => isInInitialList || printLine(`namespace      ${space.metadata!.name}: made`),
    onDelete: (gone) => printLine(`namespace      ${"key" in gone ? gone.key : gone.metadata!.name}: gone`),
  });
  factory.start(signal);
  await new Promise<void>((resolve) =>
    signal.aborted ? resolve() : signal.addEventListener("abort", () => resolve(), { once: true })
  );
  await factory.shutdown();
}

async function writeKubeconfig(path: string, text: string): Promise<void> {
  const folder = path.slice(0, Math.max(0, path.lastIndexOf("/")));
  if (folder) await Deno.mkdir(folder, { recursive: true });
  await Deno.writeTextFile(path, text);
}

function printLine(text: string, stream: { writeSync(bytes: Uint8Array): number } = Deno.stdout): void {
  stream.writeSync(new TextEncoder().encode(`${text}\n`));
}
