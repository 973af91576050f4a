/** The two servers that are asked the same. */
import { MemoryLogger, systemWorld } from "../../../src/base/mod.ts";
import { loadClientConfig, transportOf } from "../../../src/client/mod.ts";
import { createApiServer, webhookTransport } from "../../../src/sandbox/mod.ts";
import { ControlPlane } from "../../controlplane/control_plane.ts";

/** Something that answers requests. */
export interface Server extends AsyncDisposable {
  readonly url: string;
  fetch(request: Request): Promise<Response>;
}

/** kube-apiserver, as the user of `kubeconfig`. */
export async function realServer(kubeconfig: string): Promise<Server> {
  const world = systemWorld(new MemoryLogger());
  const config = await loadClientConfig(world, { kubeconfig });
  const transport = transportOf(world, config);
  return {
    url: config.server,
    fetch: (request) => transport(request),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

/** Features that are off unless somebody asks for them, and what of kube-apiserver's API they need. */
export interface Features {
  readonly gates: readonly string[];
  readonly versions: readonly string[];
}

const USUAL: Features = { gates: [], versions: [] };

/** What the areas in `gated_cases` need. */
export const GATED: Features = {
  gates: [
    "ClusterTrustBundle",
    "DRADeviceTaintRules",
    "DRAResourcePoolStatus",
    "DRAWorkloadResourceClaims",
    "GenericWorkload",
    "PodCertificateRequest",
  ],
  versions: [
    "certificates.k8s.io/v1beta1",
    "resource.k8s.io/v1alpha3",
    "resource.k8s.io/v1beta2",
    "scheduling.k8s.io/v1alpha2",
  ],
};

/** Groups of pods, without the features that need them. */
export const GROUPS_ALONE: Features = { gates: ["GenericWorkload"], versions: ["scheduling.k8s.io/v1alpha2"] };

/** The embedded API server, without a socket; Services get addresses of the same range as on the real one. */
export function embeddedServer({ gates }: Features = USUAL): Server {
  const world = systemWorld(new MemoryLogger());
  const server = createApiServer({
    world,
    webhookTransport: webhookTransport(world),
    serviceCidr: "10.0.0.0/16",
    authorization: "RBAC",
    featureGates: Object.fromEntries(gates.map((gate) => [gate, true])),
  });
  return {
    url: "http://127.0.0.1",
    fetch: (request) => server.fetch(request),
    [Symbol.asyncDispose]: () => {
      server.close();
      return Promise.resolve();
    },
  };
}

/** A kube-apiserver: the one of REAL_KUBECONFIG, or one of our own. */
export async function startRealServer({ gates, versions }: Features = USUAL): Promise<Server> {
  const running = Deno.env.get("REAL_KUBECONFIG");
  if (running) return await realServer(running);
  const flag = (name: string, values: readonly string[]) =>
    values.length > 0 ? [`--${name}=${values.map((value) => `${value}=true`)}`] : [];
  const plane = await ControlPlane.start({
    apiserverFlags: [...flag("feature-gates", gates), ...flag("runtime-config", versions)],
  });
  const server = await realServer(plane.kubeconfig);
  return { ...server, [Symbol.asyncDispose]: () => plane[Symbol.asyncDispose]() };
}
