import { type Clock, sleep, type World } from "../base/mod.ts";
import { serverSettings } from "../embedded/mod.ts";
import { FlagError, type Flags } from "../manager/mod.ts";
import {
  type ApiServer,
  asDataDirError,
  type Backend,
  CertificateAuthority,
  createApiServer,
  kubeconfigText,
  openDataDir,
  serveApiServer,
  serveApiServerOverTls,
  type ServedApiServer,
  webhookTransport,
} from "../sandbox/mod.ts";
import { KubeconfigClaim } from "./kubeconfig_claim.ts";

/** How long requests may take to finish when the process ends: a client may never send the rest of one. */
const END_WITHIN_MS = 1000;

/** A listening embedded API server, and the kubeconfig with which kubectl finds it. */
export interface LocalServer extends AsyncDisposable {
  readonly apiServer: ApiServer;
  readonly url: string;
  readonly kubeconfig: string;
  /** Its certificate authority in PEM; absent without TLS. */
  readonly certificateAuthority?: string;
  /** The content that kubeadm would write into controllers' files, by the flags that name them. */
  readonly controllerFiles: Readonly<Record<string, string>>;
}

/**
 * Starts an embedded API server according to `SERVER_FLAGS` and writes its kubeconfig.
 *
 * @param controllerFlags The flags of controllers in this process.
 * @throws {FlagError} For contradictory flags.
 * @throws {DataDirError | ListenError | Error} For an unusable directory, port or kubeconfig. Nothing was changed then,
 *   except that an empty kubeconfig may have been created.
 */
export async function startLocalServer(
  world: World,
  flags: Flags,
  controllerFlags: readonly string[],
): Promise<LocalServer> {
  const settings = serverSettings(controllerFlags);
  const authorization = authorizationMode(flags);
  const isTls = flags.bool("tls");
  const dataDir = flags.string("data-dir");
  await using undo = new AsyncDisposableStack();
  const kubeconfig = undo.use(await KubeconfigClaim.of(world, flags.string("kubeconfig")));
  const backend: Backend | undefined = dataDir === "" ? undefined : await openDataDir(dataDir);
  if (backend) undo.defer(() => backend.close());
  const { authority, apiServer } = await beginIn(dataDir, async () => {
    const authority = isTls ? await CertificateAuthority.of(world, backend) : undefined;
    const apiServer = createApiServer({
      ...settings,
      world,
      backend,
      authorization,
      authentication: isTls ? "required" : "none",
      clientCertificateAuthority: authority?.cert,
      webhookTransport: webhookTransport(world),
    });
    return { authority, apiServer };
  });
  undo.defer(() => apiServer.close());
  const port = flags.number("port");
  const served = authority
    ? await serveApiServerOverTls({ apiServer, authority, port })
    : await serveApiServer({ apiServer, port });
  undo.defer(() => closeInTime(served, world.clock));
  await kubeconfig.write(
    kubeconfigText({
      server: served.url,
      token: isTls ? apiServer.adminToken : undefined,
      certificateAuthority: authority?.cert,
    }),
  );
  const controllerFiles = {
    "service-account-private-key-file": await apiServer.serviceAccountKey(),
    ...authority && {
      "root-ca-file": authority.cert,
      "cluster-signing-cert-file": authority.cert,
      "cluster-signing-key-file": authority.pair.key,
    },
  };
  const resources = undo.move();
  return {
    apiServer,
    url: served.url,
    kubeconfig: kubeconfig.path,
    certificateAuthority: authority?.cert,
    controllerFiles,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** Stops serving. Requests that take too long are abandoned: the database is closed in any case. */
async function closeInTime(served: ServedApiServer, clock: Clock): Promise<void> {
  const closed = new AbortController();
  await Promise.race([
    served.close().finally(() => closed.abort()),
    sleep(clock, END_WITHIN_MS, closed.signal),
  ]);
}

/**
 * A starting server writes namespaces, roles and keys.
 * @throws {DataDirError} If they cannot be stored.
 */
async function beginIn<T>(dataDir: string, begin: () => Promise<T>): Promise<T> {
  try {
    return await begin();
  } catch (error) {
    throw dataDir === "" ? error : asDataDirError(dataDir, "it", error);
  }
}

function authorizationMode(flags: Flags): "AlwaysAllow" | "RBAC" {
  const mode = flags.string("authorization-mode");
  if (mode === "AlwaysAllow" || mode === "RBAC") return mode;
  throw new FlagError(
    `invalid argument ${JSON.stringify(mode)} for "--authorization-mode" flag: it must be AlwaysAllow or RBAC`,
  );
}
