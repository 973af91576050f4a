import type { Chapter } from "../step.ts";

/** A Deployment's life. */
export const DEPLOYMENTS: Chapter = {
  name: "kubectl rolls out, scales and changes Deployments",
  namespace: "roll",
  steps: [
    { run: "create deployment web --image=nginx:1 --replicas=3", prints: "deployment.apps/web created" },
    {
      run: "rollout status deployment/web --timeout=60s",
      prints: /^deployment "web" successfully rolled out$/m,
      differs: "what is waited for",
    },
    { run: "wait --for=condition=Available deployment/web --timeout=60s", prints: "deployment.apps/web condition met" },
    {
      run: "wait --for=jsonpath={.status.readyReplicas}=3 deployment/web --timeout=60s",
      prints: "deployment.apps/web condition met",
    },
    { run: "wait --for=condition=Ready pod -l app=web --timeout=60s", prints: /^pod\/web-\S+ condition met$/m },
    {
      run: "wait --for=condition=Never deployment/web --timeout=1s",
      exits: 1,
      prints: /timed out waiting for the condition on deployments\/web/,
    },
    { run: "get deployment web", prints: /^web +3\/3 +3 +3 +\S+$/m },
    { run: "get deployment web -o wide", prints: /^web +3\/3 +3 +3 +\S+ +nginx +nginx:1 +app=web$/m },
    { run: "get pods --no-headers", prints: /^web-\S+ +1\/1 +Running +0 +\S+$/m },
    { run: "scale deployment web --replicas=4", prints: "deployment.apps/web scaled" },
    {
      run: "scale deployment web --replicas=5 --current-replicas=9",
      exits: 1,
      prints: /Expected replicas to be 9, was 4/,
    },
    {
      run: "autoscale deployment web --min=2 --max=6 --cpu=70%",
      prints: "horizontalpodautoscaler.autoscaling/web autoscaled",
    },
    { run: "get hpa web", prints: /^web +Deployment\/web +cpu: <unknown>\/70% +2 +6 +0 +\S+$/m },
    { run: "set image deployment/web nginx=nginx:2", prints: "deployment.apps/web image updated" },
    {
      run: "rollout status deployment/web --timeout=60s",
      prints: /successfully rolled out/,
      differs: "what is waited for",
    },
    {
      run: 'annotate deployment web kubernetes.io/change-cause="second image"',
      prints: "deployment.apps/web annotated",
    },
    { run: "rollout history deployment/web", prints: [/^1 +<none>$/m, /^2 +second image$/m], waits: true },
    {
      run: "rollout history deployment/web --revision=1",
      prints: [/^deployment.apps\/web with revision #1$/m, /Image:\tnginx:1$/m],
      differs: "hashes",
    },
    { run: "rollout undo deployment/web", prints: "deployment.apps/web rolled back" },
    {
      run: "rollout undo deployment/web --to-revision=9",
      exits: 1,
      prints: "error: unable to find specified revision 9 in history",
    },
    {
      run: "rollout status deployment/web --timeout=60s",
      prints: /successfully rolled out/,
      differs: "what is waited for",
    },
    { run: "get deployment web -o jsonpath={.spec.template.spec.containers[0].image}", prints: "nginx:1" },
    { run: "rollout pause deployment/web", prints: "deployment.apps/web paused" },
    { run: "rollout pause deployment/web", exits: 1, prints: 'error: deployments.apps "web" is already paused' },
    {
      run: "set resources deployment/web --requests=cpu=10m --limits=memory=64Mi",
      prints: "deployment.apps/web resource requirements updated",
    },
    { run: "set env deployment/web COLOUR=red", prints: "deployment.apps/web env updated" },
    { run: "set env deployment/web --list", prints: ["# Deployment web, container nginx", "COLOUR=red"] },
    { run: "set serviceaccount deployment web default", prints: "deployment.apps/web serviceaccount updated" },
    { run: "rollout undo deployment/web", exits: 1, prints: /you cannot rollback a paused deployment/ },
    { run: "rollout resume deployment/web", prints: "deployment.apps/web resumed" },
    { run: "rollout restart deployment/web", prints: "deployment.apps/web restarted" },
    {
      run: "rollout status deployment/web --timeout=60s",
      prints: /successfully rolled out/,
      differs: "what is waited for",
    },
    {
      run: "get deployment web -o jsonpath={.spec.template.spec.containers[0].resources}",
      prints: '{"limits":{"memory":"64Mi"},"requests":{"cpu":"10m"}}',
    },
    { run: "label deployment web tier=front", prints: "deployment.apps/web labeled" },
    {
      run: "label deployment web tier=back",
      exits: 1,
      prints: "error: 'tier' already has a value (front), and --overwrite is false",
    },
    { run: "label deployment web tier=back --overwrite", prints: "deployment.apps/web labeled" },
    { run: "label deployment web tier-", prints: "deployment.apps/web unlabeled" },
    { run: "annotate deployment web note=hello", prints: "deployment.apps/web annotated" },
    { run: "annotate deployment web --list", prints: "note=hello", differs: "kubectl lists them in any order" },
    {
      run:
        "get events --field-selector involvedObject.name=web -o custom-columns=KIND:.involvedObject.kind,REASON:.reason --no-headers",
      prints: /^Deployment +ScalingReplicaSet$/m,
      differs: "how often",
    },
    {
      run: "events --for=deployment/web --types=Normal",
      prints: /Normal +ScalingReplicaSet +Deployment\/web +Scaled up replica set web-\S+ from 0 to 3/,
      differs: "how often",
    },
    {
      run: "describe deployment web",
      prints: [
        /^Replicas: +4 desired \| \d updated/m,
        /^StrategyType: +RollingUpdate$/m,
        /NewReplicaSet: +web-\w+/,
        /Scaled up replica set/,
      ],
      differs: "hashes and events",
    },
    {
      run: "logs deployment/web",
      prints: /^simulated container nginx \(image nginx:1\) of roll\/web-\S+ on node-\d started$/m,
      embeddedOnly: "there is no kubelet",
    },
    { run: "exec deploy/web -- true", exits: 1, prints: /^error: /m, embeddedOnly: "there is no kubelet" },
    { run: "top pods", exits: 1, prints: "error: Metrics API not available" },
    {
      run: "get all",
      prints: [/^deployment\.apps\/web +4\/4/m, /^horizontalpodautoscaler\.autoscaling\/web/m],
      differs: "the number of old ReplicaSets and pods",
    },
  ],
};
