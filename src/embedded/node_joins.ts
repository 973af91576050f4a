import { encodeBase64 } from "@std/encoding/base64";
import { CERTIFICATESIGNINGREQUESTS, formatTime, isConditionTrue, type KubeObject } from "../api/mod.ts";
import { sleep, type World } from "../base/mod.ts";
import { applyManifests, Client, type Transport } from "../client/mod.ts";
import { type ApiServer, holderOf, nodeRequest } from "../sandbox/mod.ts";

/** How often a machine checks for its certificate. */
const LOOK_MS = 100;
const DAY_MS = 24 * 3_600_000;
const TOKEN_ID = "joined";
const JOINING = "system:bootstrappers";
const RBAC = "rbac.authorization.k8s.io";

/** Options of {@link NodeJoins}. */
export interface NodeJoinsOptions {
  readonly world: World;
  readonly apiServer: ApiServer;
  readonly server: string;
  /** The API server's client authority, in PEM. */
  readonly authority: string;
  /** Creates the token and its rights. */
  readonly admin: Client;
}

/**
 * Lets nodes join a cluster like machines: with a bootstrap token they request a certificate, which controllers approve
 * and sign.
 *
 * Contract:
 * 1. The token is made when the first node joins, and lasts a day.
 * 2. A node that is refused a certificate says why.
 *
 * Upstream: `pkg/kubelet/certificate/bootstrap`, `cmd/kubeadm/app/phases/bootstraptoken`.
 */
export class NodeJoins {
  readonly #options: NodeJoinsOptions;
  #token: Promise<string> | undefined;

  constructor(options: NodeJoinsOptions) {
    this.#options = options;
  }

  /**
   * A client of the node's own.
   *
   * @throws {Error} If it gets no certificate, or one that the API server does not accept.
   */
  readonly join = async (name: string, signal: AbortSignal): Promise<Client> => {
    const { world: { clock }, apiServer, authority } = this.#options;
    const token = await this.#madeToken();
    const machine = this.#client((request) => {
      request.headers.set("authorization", `Bearer ${token}`);
      return apiServer.fetch(request);
    });
    const certificate = await this.#certificateOf(name, machine, signal);
    const holder = await holderOf(certificate, { authority, nowMs: clock.wallMs() });
    if (!holder.isVerified) {
      throw new Error(`Node "${name}" cannot join: its certificate was not issued by the cluster's authority`);
    }
    return this.#client((request) => apiServer.fetch(request, holder));
  };

  #madeToken(): Promise<string> {
    this.#token ??= this.#makeToken().catch((error) => {
      this.#token = undefined;
      throw error;
    });
    return this.#token;
  }

  async #makeToken(): Promise<string> {
    const { world, admin } = this.#options;
    const secret = world.random.uuid().replaceAll("-", "").slice(0, 16);
    await applyManifests({ world, client: admin }, [
      tokenSecret(secret, formatTime(world.clock.wallMs() + DAY_MS)),
      binding("kubeloop:node-bootstrapper", "system:node-bootstrapper", JOINING),
      binding(
        "kubeloop:node-autoapprove-bootstrap",
        "system:certificates.k8s.io:certificatesigningrequests:nodeclient",
        JOINING,
      ),
      // Only RBAC authorizes nodes here.
      binding("kubeloop:nodes", "system:node", "system:nodes"),
    ]);
    return `${TOKEN_ID}.${secret}`;
  }

  async #certificateOf(node: string, machine: Client, signal: AbortSignal): Promise<string> {
    const { world: { clock } } = this.#options;
    const { metadata } = await machine.create(CERTIFICATESIGNINGREQUESTS, {
      metadata: { generateName: "node-csr-" },
      spec: {
        request: encodeBase64(await nodeRequest(node)),
        signerName: "kubernetes.io/kube-apiserver-client-kubelet",
        usages: ["digital signature", "client auth"],
      },
    }, { signal });
    const name = metadata?.name ?? "";
    while (true) {
      const { status } = await machine.get(CERTIFICATESIGNINGREQUESTS, { name }, { signal });
      if (status?.certificate) return atob(status.certificate);
      for (const type of ["Denied", "Failed"]) {
        if (!isConditionTrue(status?.conditions, type)) continue;
        const { reason, message } = status!.conditions!.find((condition) => condition.type === type)!;
        throw new Error(`Node "${node}" cannot join: request ${name} is ${type}: ${reason}: ${message}`);
      }
      if (!await sleep(clock, LOOK_MS, signal)) throw signal.reason;
    }
  }

  #client(transport: Transport): Client {
    const { world, server } = this.#options;
    return new Client({ world, transport, server, userAgent: "kubelet" });
  }
}

function tokenSecret(secret: string, expiration: string): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Secret",
    type: "bootstrap.kubernetes.io/token",
    metadata: { name: `bootstrap-token-${TOKEN_ID}`, namespace: "kube-system" },
    stringData: {
      "token-id": TOKEN_ID,
      "token-secret": secret,
      expiration,
      "usage-bootstrap-authentication": "true",
    },
  } as KubeObject;
}

function binding(name: string, role: string, group: string): KubeObject {
  return {
    apiVersion: `${RBAC}/v1`,
    kind: "ClusterRoleBinding",
    metadata: { name },
    roleRef: { apiGroup: RBAC, kind: "ClusterRole", name: role },
    subjects: [{ apiGroup: RBAC, kind: "Group", name: group }],
  } as KubeObject;
}
