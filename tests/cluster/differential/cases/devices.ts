/** Claims of devices and their templates: what is filled in, refused and kept; and how pods name them. */
import type { DifferentialCase } from "../probe.ts";
import { type Fields, merge, post, remove } from "../requests.ts";

const GROUP = "/apis/resource.k8s.io/v1/namespaces/{ns}";
const CLAIMS = `${GROUP}/resourceclaims`;
const TEMPLATES = `${GROUP}/resourceclaimtemplates`;
const PODS = "/api/v1/namespaces/{ns}/pods";
const VOLUMES = "/api/v1/persistentvolumes";
const STORAGE_CLAIMS = "/api/v1/namespaces/{ns}/persistentvolumeclaims";
const CLASSES = "/apis/storage.k8s.io/v1/volumeattributesclasses";

const exactly = (more: Fields = {}) => ({ name: "r", exactly: { deviceClassName: "gpu.example.com", ...more } });
const claim = (name: string, requests: readonly unknown[] = [exactly()], more: Fields = {}) => ({
  metadata: { name, ...more },
  spec: { devices: { requests } },
});
const template = (name: string, requests: readonly unknown[] = [exactly()], metadata: Fields = {}) => ({
  metadata: { name },
  spec: { metadata, spec: { devices: { requests } } },
});
const result = { request: "r", driver: "gpu.example.com", pool: "p", device: "d" };
const allocated = (...results: Fields[]) => ({ devices: { results } });
const consumer = (uid: string) => ({ resource: "pods", name: `p-${uid}`, uid });
const status = (name: string, body: Fields) => merge(`${CLAIMS}/${name}/status`, { status: body });

export const CASES: readonly DifferentialCase[] = [
  {
    name: "claims of devices are filled in, and keep what they ask for",
    probes: [
      post(CLAIMS, claim("a")),
      post(CLAIMS, claim("b", [exactly({ count: 2 }), { ...exactly({ allocationMode: "All" }), name: "s" }])),
      post(CLAIMS, claim("c", [{ name: "r", firstAvailable: [{ name: "s", deviceClassName: "x" }] }])),
      post(CLAIMS, { ...claim("d"), status: { reservedFor: [consumer("u")] } }),
      merge(`${CLAIMS}/a`, { metadata: { labels: { a: "b" } } }),
      merge(`${CLAIMS}/a`, { spec: { devices: { requests: [exactly({ count: 3 })] } } }),
      merge(`${CLAIMS}/a`, { status: { reservedFor: [consumer("u")] } }),
      post(TEMPLATES, template("a", undefined, { labels: { a: "b" }, annotations: { c: "d" } })),
      merge(`${TEMPLATES}/a`, { spec: { metadata: { labels: { a: "c" } } } }),
      merge(`${TEMPLATES}/a`, { metadata: { labels: { a: "c" } } }),
      post(TEMPLATES, template("b", [exactly({ count: -1 })], { labels: { "a b": "c" } })),
    ],
  },
  {
    name: "claims of devices that ask for nonsense",
    probes: [
      post(CLAIMS, claim("a", [{ name: "r" }])),
      post(CLAIMS, claim("a", [{ ...exactly(), firstAvailable: [{ name: "s", deviceClassName: "x" }] }])),
      post(CLAIMS, claim("a", [exactly(), exactly()])),
      post(CLAIMS, claim("a", [{ ...exactly(), name: "R r" }])),
      post(CLAIMS, claim("a", [{ name: "r", exactly: {} }])),
      post(CLAIMS, claim("a", [exactly({ deviceClassName: "X y" })])),
      post(CLAIMS, claim("a", [exactly({ count: -1 })])),
      post(CLAIMS, claim("a", [exactly({ allocationMode: "All", count: 2 })])),
      post(CLAIMS, claim("a", [exactly({ allocationMode: "Some" })])),
      post(CLAIMS, claim("a", [exactly({ selectors: [{}] })])),
      post(CLAIMS, claim("a", Array.from({ length: 33 }, (_, i) => ({ ...exactly(), name: `r${i}` })))),
    ],
  },
  {
    name: "claims of devices are allocated, reserved and freed",
    probes: [
      post(CLAIMS, claim("a")),
      status("a", { reservedFor: [consumer("u")] }),
      status("a", { allocation: allocated({ ...result, request: "other" }) }),
      status("a", { allocation: allocated({ ...result, device: "D d" }) }),
      status("a", { allocation: allocated({ ...result, pool: "", driver: "" }) }),
      status("a", { allocation: allocated(result) }),
      status("a", { reservedFor: [consumer("u"), consumer("u")] }),
      status("a", { reservedFor: [{ resource: "", name: "", uid: "" }] }),
      status("a", { reservedFor: Array.from({ length: 257 }, (_, i) => consumer(`u${i}`)) }),
      status("a", { reservedFor: [consumer("u"), { apiGroup: "example.com", ...consumer("v") }] }),
      status("a", { allocation: allocated({ ...result, device: "e" }) }),
      status("a", { allocation: null }),
      merge(`${CLAIMS}/a`, { metadata: { finalizers: ["resource.kubernetes.io/delete-protection"] } }),
      remove(`${CLAIMS}/a`),
      status("a", { reservedFor: [consumer("u"), consumer("w")] }),
      status("a", { reservedFor: [consumer("u")] }),
      status("a", { reservedFor: null, allocation: null }),
      merge(`${CLAIMS}/a`, { metadata: { finalizers: null } }),
    ],
  },
  {
    name: "pods name their claims",
    probes: [
      post(PODS, {
        metadata: { name: "p" },
        spec: {
          containers: [{
            name: "c",
            image: "nginx:1",
            resources: { requests: { "example.com/gpu": "1" }, limits: { "example.com/gpu": "1" } },
          }],
          resourceClaims: [{ name: "x", resourceClaimTemplateName: "t" }, { name: "y", resourceClaimName: "a" }],
          schedulerName: "nobody",
          automountServiceAccountToken: false,
        },
      }),
      ...[
        { resourceClaimStatuses: [{ name: "x", resourceClaimName: "p-x-1" }, { name: "z" }] },
        { resourceClaimStatuses: [{ name: "x", resourceClaimName: "P x" }] },
        { resourceClaimStatuses: [{ name: "x" }, { name: "x" }] },
        { resourceClaimStatuses: [{ name: "x", resourceClaimName: "p-x-1" }] },
        { extendedResourceClaimStatus: { resourceClaimName: "", requestMappings: [] } },
        {
          extendedResourceClaimStatus: {
            resourceClaimName: "E e",
            requestMappings: [{ containerName: "d", resourceName: "example.com/gpu", requestName: "r" }],
          },
        },
        {
          extendedResourceClaimStatus: {
            resourceClaimName: "e",
            requestMappings: [{ containerName: "c", resourceName: "example.com/tpu", requestName: "R r" }],
          },
        },
        {
          extendedResourceClaimStatus: {
            resourceClaimName: "e",
            requestMappings: [{ containerName: "c", resourceName: "example.com/gpu", requestName: "r" }],
          },
        },
      ].map((body) => merge(`${PODS}/p/status`, { status: body })),
    ],
  },
  {
    name: "what keeps claims, volumes and their classes is added when they are created",
    probes: [
      post(STORAGE_CLAIMS, {
        metadata: { name: "a", finalizers: ["example.com/x"] },
        spec: { accessModes: ["ReadWriteOnce"], storageClassName: "", resources: { requests: { storage: "1Gi" } } },
      }),
      merge(`${STORAGE_CLAIMS}/a`, { metadata: { finalizers: null } }),
      post(VOLUMES, {
        metadata: { name: "{ns}-a", finalizers: ["example.com/x", "kubernetes.io/pv-protection"] },
        spec: { accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" }, hostPath: { path: "/x" } },
      }),
      remove(`${VOLUMES}/{ns}-a`),
      merge(`${VOLUMES}/{ns}-a`, { metadata: { finalizers: ["example.com/x", "example.com/y"] } }),
      merge(`${VOLUMES}/{ns}-a`, { metadata: { finalizers: null } }),
      post(CLASSES, { metadata: { name: "{ns}-a" }, driverName: "csi.example.com", parameters: { a: "b" } }),
      merge(`${CLASSES}/{ns}-a`, { metadata: { finalizers: null } }),
      remove(`${CLASSES}/{ns}-a`),
    ],
  },
];
