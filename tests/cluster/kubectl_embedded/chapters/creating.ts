import { CERTIFICATE_REQUEST } from "../../certificate_request.ts";
import type { Chapter } from "../step.ts";

const SIGNING = {
  apiVersion: "certificates.k8s.io/v1",
  kind: "CertificateSigningRequest",
  metadata: { name: "create-ann" },
  spec: {
    request: CERTIFICATE_REQUEST,
    signerName: "kubernetes.io/kube-apiserver-client",
    usages: ["client auth"],
    expirationSeconds: 7200,
  },
};

/** The ways to create things. */
export const CREATING: Chapter = {
  name: "kubectl creates things",
  namespace: "create",
  steps: [
    { run: "create deployment web --image=nginx:1 --replicas=2 --port=80", prints: "deployment.apps/web created" },
    {
      run: "create deployment web --image=nginx:1",
      exits: 1,
      prints: 'error: failed to create deployment: deployments.apps "web" already exists',
    },
    {
      run: "create configmap settings --from-literal=colour=red --from-literal=size=7",
      prints: "configmap/settings created",
    },
    { run: "create secret generic password --from-literal=word=secret", prints: "secret/password created" },
    { run: "create job once --image=busybox -- sh -c true", prints: "job.batch/once created" },
    { run: 'create cronjob hourly --image=busybox --schedule="0 * * * *"', prints: "cronjob.batch/hourly created" },
    { run: "create job now --from=cronjob/hourly", prints: "job.batch/now created" },
    { run: "create namespace create-more", prints: "namespace/create-more created" },
    { run: "create serviceaccount robot", prints: "serviceaccount/robot created" },
    {
      run: "create role reader --verb=get,list --resource=pods,deployments.apps",
      prints: "role.rbac.authorization.k8s.io/reader created",
    },
    {
      run: "create rolebinding readers --role=reader --serviceaccount=create:robot --user=ann",
      prints: "rolebinding.rbac.authorization.k8s.io/readers created",
    },
    {
      run: "create clusterrole create-viewer --verb=get --resource=nodes --dry-run=server -o name",
      prints: "clusterrole.rbac.authorization.k8s.io/create-viewer",
    },
    { run: "create quota small --hard=pods=20,secrets=40", prints: "resourcequota/small created" },
    {
      run: "create poddisruptionbudget calm --selector=app=web --min-available=1",
      prints: "poddisruptionbudget.policy/calm created",
    },
    {
      run: 'create ingress front --class=some --rule="www.example.com/*=web:80"',
      prints: "ingress.networking.k8s.io/front created",
    },
    {
      run: "create priorityclass create-high --value=1000 --description=important",
      prints: "priorityclass.scheduling.k8s.io/create-high created",
    },
    { run: "create service clusterip plain --tcp=80:8080", prints: "service/plain created" },
    { run: "expose deployment web --port=8080 --target-port=80 --name=front", prints: "service/front exposed" },
    { run: "run lonely --image=nginx:1 --labels=app=lonely --env=A=b --restart=Never", prints: "pod/lonely created" },
    { run: "run other --image=nginx:1 --dry-run=client -o jsonpath={.spec.containers[0].image}", prints: "nginx:1" },
    { run: "create token robot --duration=1h", prints: /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/m },
    { run: "create token nobody", exits: 1, prints: /serviceaccounts? "nobody" not found/ },
    {
      run: "create -f -",
      input: { apiVersion: "v1", kind: "ConfigMap", metadata: { generateName: "made-" } },
      prints: /^configmap\/made-\w{5} created$/m,
    },
    {
      run: "create -f -",
      input: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "odd" }, colour: "red" },
      exits: 1,
      prints: /unknown field "colour"/,
    },
    {
      run: "create -f - --validate=warn",
      input: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "odd" }, colour: "red" },
      prints: [/^Warning: .*unknown field "colour"/m, "configmap/odd created"],
    },
    {
      run: "create -f -",
      input: { apiVersion: "v1", kind: "Nothing", metadata: { name: "odd" } },
      exits: 1,
      prints: /no matches for kind "Nothing" in version "v1"/,
    },
    {
      run: "create -f -",
      input: {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "bad" },
        spec: { selector: {}, template: {} },
      },
      exits: 1,
      prints: /^The Deployment "bad" is invalid/m,
    },
    { run: "auth can-i list pods --as=system:serviceaccount:create:robot", prints: "yes" },
    { run: "auth can-i delete pods --as=ann", exits: 1, prints: "no" },
    { run: "get configmap settings -o jsonpath={.data}", prints: '{"colour":"red","size":"7"}' },
    { run: "get secret password -o jsonpath={.data.word}", prints: "c2VjcmV0" },
    {
      run: "get role,rolebinding,quota,pdb,ingress -o name",
      prints: ["role.rbac.authorization.k8s.io/reader", "resourcequota/small"],
    },
    { run: "get ingress front", prints: /^front +some +www\.example\.com +80 +\S+$/m },
    { run: "get pdb calm", prints: /^calm +1 +N\/A +1 +\S+$/m, waits: true },
    { run: "get cronjob hourly", prints: /^hourly +0 \* \* \* \* +<none> +False +0 +<none> +\S+$/m },
    {
      run: "create -f -",
      input: SIGNING,
      prints: "certificatesigningrequest.certificates.k8s.io/create-ann created",
    },
    {
      run: "get csr create-ann",
      prints: / kubernetes\.io\/kube-apiserver-client .* 120m +Pending$/m,
      differs: "who asks",
    },
    {
      run: "certificate approve create-ann",
      prints: "certificatesigningrequest.certificates.k8s.io/create-ann approved",
    },
    { run: "get csr create-ann", prints: / Approved$/m, differs: "who asks" },
    { run: "delete csr create-ann", prints: /"create-ann" deleted$/m },
    { run: "get svc -o wide", prints: [/^front +ClusterIP +\S+ +<none> +8080\/TCP +\S+ +app=web$/m] },
  ],
};
