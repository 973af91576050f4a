import { MemoryLogger, systemWorld } from "../../src/base/mod.ts";
import { type ApiServer, type ApiServerOptions, createApiServer } from "../../src/sandbox/mod.ts";

export const PODS = "/api/v1/namespaces/default/pods";

/** An API server in the real world, with the service account that pods need. */
export async function benchServer(options: Partial<ApiServerOptions> = {}): Promise<ApiServer> {
  const server = createApiServer({ ...options, world: systemWorld(new MemoryLogger()) });
  const accounts = "http://server/api/v1/namespaces/default/serviceaccounts";
  await (await server.fetch(request("POST", accounts, { metadata: { name: "default" } }))).body?.cancel();
  return server;
}

/** Sends a request; in process or by a socket. */
export type Send = (request: Request) => Promise<Response>;

/** A request as the controllers' client sends it. */
export function request(method: string, url: string, body?: object, type = "application/json"): Request {
  return new Request(url, {
    method,
    headers: {
      accept: "application/json",
      "content-type": type,
      "user-agent": "kube-controller-manager/v1.36.0 (linux/amd64) kubeloop",
    },
    body: body && JSON.stringify(body),
  });
}

/** Creates pods, some of them at once, and reads every answer; returns their names. */
export async function createPods(
  send: Send,
  { count, atOnce = 1, origin = "http://server" }: {
    readonly count: number;
    readonly atOnce?: number;
    readonly origin?: string;
  },
): Promise<string[]> {
  const names: string[] = [];
  let next = 0;
  const work = async () => {
    while (next < count) {
      const response = await send(request("POST", origin + PODS, newPod(next++)));
      const text = await response.text();
      if (response.status !== 201) throw new Error(text);
      names.push(/"name":"([^"]+)"/.exec(text)![1]);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return names;
}

/** Changes the status of each pod once, as a kubelet does. */
export async function touchPods(send: Send, names: readonly string[], message: string): Promise<void> {
  for (const name of names) {
    const url = `http://server${PODS}/${name}/status`;
    const response = await send(request("PATCH", url, { status: { message } }, "application/merge-patch+json"));
    if (response.status !== 200) throw new Error(await response.text());
    await response.body?.cancel();
  }
}

/** Opens watches of pods and reads them; the returned function resolves once all have read as much as the first. */
export async function watchPods(send: Send, watches: number, revision: number): Promise<() => Promise<void>> {
  const bytes = new Array<number>(watches).fill(0);
  const readers: Promise<void>[] = [];
  for (let i = 0; i < watches; i++) {
    const response = await send(request("GET", `http://server${PODS}?watch=true&resourceVersion=${revision}`));
    readers.push(read(response, (size) => bytes[i] += size));
  }
  return async () => {
    while (new Set(bytes).size > 1 || bytes[0] === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  };
}

async function read(response: Response, count: (bytes: number) => void): Promise<void> {
  for await (const chunk of response.body!) count(chunk.length);
}

/** A pod as the ReplicaSet controller creates it. */
export function newPod(i: number): Record<string, unknown> {
  const app = `app-${i % 500}`;
  const hash = (i % 500 + 0x5f3759d).toString(36);
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      generateName: `${app}-${hash}-`,
      labels: { "app.kubernetes.io/name": app, "app.kubernetes.io/managed-by": "Helm", "pod-template-hash": hash },
      annotations: { "prometheus.io/scrape": "true" },
      ownerReferences: [{
        apiVersion: "apps/v1",
        kind: "ReplicaSet",
        name: `${app}-${hash}`,
        uid: `9a8b7c6d-0000-4000-8000-${String(i % 500).padStart(12, "0")}`,
        controller: true,
        blockOwnerDeletion: true,
      }],
    },
    spec: {
      volumes: [{ name: "config", configMap: { name: `${app}-config`, defaultMode: 420 } }],
      containers: [{
        name: "server",
        image: `registry.example.com/team/${app}:v1.${i % 20}.0`,
        ports: [{ name: "http", containerPort: 8080, protocol: "TCP" }],
        env: [{ name: "LOG_LEVEL", value: "info" }, {
          name: "POD_NAME",
          valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "metadata.name" } },
        }],
        resources: { limits: { memory: "512Mi" }, requests: { cpu: "250m", memory: "256Mi" } },
        volumeMounts: [{ name: "config", mountPath: "/etc/app" }],
        readinessProbe: {
          httpGet: { path: "/ready", port: "http", scheme: "HTTP" },
          timeoutSeconds: 1,
          periodSeconds: 10,
          successThreshold: 1,
          failureThreshold: 3,
        },
        terminationMessagePath: "/dev/termination-log",
        terminationMessagePolicy: "File",
        imagePullPolicy: "IfNotPresent",
      }],
      restartPolicy: "Always",
      terminationGracePeriodSeconds: 30,
      dnsPolicy: "ClusterFirst",
      securityContext: {},
      schedulerName: "default-scheduler",
    },
    status: {},
  };
}
