/**
 * Types of versions that are served only where a feature gate asks for them, which the published schemas leave out; in
 * the notation of `generated_fields.ts`. Upstream: `types.go` of `k8s.io/api/scheduling/v1alpha2`,
 * `apiserverinternal/v1alpha1`, `storagemigration/v1beta1`, `resource/v1alpha3`, `resource/v1beta2` and
 * `certificates/v1beta1`.
 */
export const ALPHA_FIELDS: Readonly<Record<string, string>> = {
  "scheduling.v1alpha2.Workload":
    "apiVersion:string kind:string metadata:meta.v1.ObjectMeta:always,number=1 spec:scheduling.v1alpha2.WorkloadSpec:always,number=2",
  "scheduling.v1alpha2.WorkloadSpec":
    "controllerRef:scheduling.v1alpha2.TypedLocalObjectReference:pointer,number=1 podGroupTemplates:[]scheduling.v1alpha2.PodGroupTemplate:always,keys=name,number=2",
  "scheduling.v1alpha2.TypedLocalObjectReference":
    "apiGroup:string:number=1 kind:string:always,number=2 name:string:always,number=3",
  "scheduling.v1alpha2.PodGroupTemplate":
    "name:string:always,number=1 schedulingPolicy:scheduling.v1alpha2.PodGroupSchedulingPolicy:always,number=2 schedulingConstraints:scheduling.v1alpha2.PodGroupSchedulingConstraints:pointer,always,number=3 resourceClaims:[]scheduling.v1alpha2.PodGroupResourceClaim:merge=name,retainKeys,keys=name,number=4 disruptionMode:string:pointer,number=5 priorityClassName:string:number=6 priority:int32:pointer,number=7",
  "scheduling.v1alpha2.PodGroupSchedulingPolicy":
    "basic:scheduling.v1alpha2.BasicSchedulingPolicy:pointer,number=1 gang:scheduling.v1alpha2.GangSchedulingPolicy:pointer,number=2",
  "scheduling.v1alpha2.BasicSchedulingPolicy": "",
  "scheduling.v1alpha2.GangSchedulingPolicy": "minCount:int32:always,number=1",
  "scheduling.v1alpha2.PodGroupSchedulingConstraints":
    "topology:[]scheduling.v1alpha2.TopologyConstraint:atomic,number=1",
  "scheduling.v1alpha2.TopologyConstraint": "key:string:always,number=1",
  "scheduling.v1alpha2.PodGroupResourceClaim":
    "name:string:always,number=1 resourceClaimName:string:pointer,number=2 resourceClaimTemplateName:string:pointer,number=3",
  "scheduling.v1alpha2.PodGroup":
    "apiVersion:string kind:string metadata:meta.v1.ObjectMeta:always,number=1 spec:scheduling.v1alpha2.PodGroupSpec:always,number=2 status:scheduling.v1alpha2.PodGroupStatus:always,number=3",
  "scheduling.v1alpha2.PodGroupSpec":
    "podGroupTemplateRef:scheduling.v1alpha2.PodGroupTemplateReference:pointer,always,number=1 schedulingPolicy:scheduling.v1alpha2.PodGroupSchedulingPolicy:always,number=2 schedulingConstraints:scheduling.v1alpha2.PodGroupSchedulingConstraints:pointer,number=3 resourceClaims:[]scheduling.v1alpha2.PodGroupResourceClaim:merge=name,retainKeys,keys=name,number=4 disruptionMode:string:pointer,number=5 priorityClassName:string:number=6 priority:int32:pointer,number=7",
  "scheduling.v1alpha2.PodGroupTemplateReference":
    "workload:scheduling.v1alpha2.WorkloadPodGroupTemplateReference:pointer,always,number=1",
  "scheduling.v1alpha2.WorkloadPodGroupTemplateReference":
    "workloadName:string:always,number=1 podGroupTemplateName:string:always,number=2",
  "scheduling.v1alpha2.PodGroupStatus":
    "conditions:[]meta.v1.Condition:merge=type,keys=type,number=1 resourceClaimStatuses:[]scheduling.v1alpha2.PodGroupResourceClaimStatus:merge=name,retainKeys,keys=name,number=2",
  "scheduling.v1alpha2.PodGroupResourceClaimStatus":
    "name:string:always,number=1 resourceClaimName:string:pointer,number=2",
  "internal.v1alpha1.StorageVersion":
    "apiVersion:string kind:string metadata:meta.v1.ObjectMeta:always,number=1 spec:internal.v1alpha1.StorageVersionSpec:always,number=2 status:internal.v1alpha1.StorageVersionStatus:always,number=3",
  "internal.v1alpha1.StorageVersionSpec": "",
  "internal.v1alpha1.StorageVersionStatus":
    "storageVersions:[]internal.v1alpha1.ServerStorageVersion:keys=apiServerID,number=1 commonEncodingVersion:string:pointer,number=2 conditions:[]internal.v1alpha1.StorageVersionCondition:keys=type,number=3",
  "internal.v1alpha1.ServerStorageVersion":
    "apiServerID:string:number=1 encodingVersion:string:number=2 decodableVersions:[]string:set,number=3 servedVersions:[]string:set,number=4",
  "internal.v1alpha1.StorageVersionCondition":
    "type:string:always,number=1 status:string:always,number=2 observedGeneration:int64:number=3 lastTransitionTime:time:always,number=4 reason:string:always,number=5 message:string:number=6",
  "storagemigration.v1beta1.StorageVersionMigration":
    "apiVersion:string kind:string metadata:meta.v1.ObjectMeta:always,number=1 spec:storagemigration.v1beta1.StorageVersionMigrationSpec:always,number=2 status:storagemigration.v1beta1.StorageVersionMigrationStatus:always,number=3",
  "storagemigration.v1beta1.StorageVersionMigrationSpec": "resource:meta.v1.GroupResource:always,number=1",
  "storagemigration.v1beta1.StorageVersionMigrationStatus":
    "conditions:[]meta.v1.Condition:merge=type,keys=type,number=1 resourceVersion:string:number=2",
  "resource.v1beta2.DeviceTaintRule":
    "apiVersion:string kind:string metadata:meta.v1.ObjectMeta:always,number=1 spec:resource.v1beta2.DeviceTaintRuleSpec:always,number=2 status:resource.v1beta2.DeviceTaintRuleStatus:always,number=3",
  "resource.v1beta2.DeviceTaintRuleSpec":
    "deviceSelector:resource.v1beta2.DeviceTaintSelector:pointer,number=1 taint:resource.v1beta2.DeviceTaint:always,number=2",
  "resource.v1beta2.DeviceTaintSelector":
    "driver:string:pointer,number=2 pool:string:pointer,number=3 device:string:pointer,number=4",
  "resource.v1beta2.DeviceTaint":
    "key:string:always,number=1 value:string:number=2 effect:string:always,number=3 timeAdded:time:pointer,number=4",
  "resource.v1beta2.DeviceTaintRuleStatus": "conditions:[]meta.v1.Condition:merge=type,keys=type,number=1",
  "resource.v1alpha3.ResourcePoolStatusRequest":
    "apiVersion:string kind:string metadata:meta.v1.ObjectMeta:always,number=1 spec:resource.v1alpha3.ResourcePoolStatusRequestSpec:always,number=2 status:resource.v1alpha3.ResourcePoolStatusRequestStatus:pointer,number=3",
  "resource.v1alpha3.ResourcePoolStatusRequestSpec":
    "driver:string:always,number=1 poolName:string:pointer,number=2 limit:int32:pointer,number=3",
  "resource.v1alpha3.ResourcePoolStatusRequestStatus":
    "poolCount:int32:pointer,number=6 pools:[]resource.v1alpha3.PoolStatus:atomic,number=2 conditions:[]meta.v1.Condition:merge=type,keys=type,number=3",
  "resource.v1alpha3.PoolStatus":
    "driver:string:number=1 poolName:string:number=2 generation:int64:always,number=9 resourceSliceCount:int32:pointer,number=8 totalDevices:int32:pointer,number=4 allocatedDevices:int32:pointer,number=5 availableDevices:int32:pointer,number=6 unavailableDevices:int32:pointer,number=7 nodeName:string:pointer,number=3 validationError:string:pointer,number=10",
  "certificates.v1beta1.ClusterTrustBundle":
    "apiVersion:string kind:string metadata:meta.v1.ObjectMeta:always,number=1 spec:certificates.v1beta1.ClusterTrustBundleSpec:always,number=2",
  "certificates.v1beta1.ClusterTrustBundleSpec": "signerName:string:number=1 trustBundle:string:always,number=2",
  "certificates.v1beta1.PodCertificateRequest":
    "apiVersion:string kind:string metadata:meta.v1.ObjectMeta:always,number=1 spec:certificates.v1beta1.PodCertificateRequestSpec:always,number=2 status:certificates.v1beta1.PodCertificateRequestStatus:always,number=3",
  "certificates.v1beta1.PodCertificateRequestSpec":
    "signerName:string:always,number=1 podName:string:always,number=2 podUID:string:always,number=3 serviceAccountName:string:always,number=4 serviceAccountUID:string:always,number=5 nodeName:string:always,number=6 nodeUID:string:always,number=7 maxExpirationSeconds:int32:pointer,number=8 pkixPublicKey:bytes:always,number=9 proofOfPossession:bytes:always,number=10 stubPKCS10Request:bytes:always,number=12 unverifiedUserAnnotations:{}string:number=11",
  "certificates.v1beta1.PodCertificateRequestStatus":
    "conditions:[]meta.v1.Condition:merge=type,keys=type,number=1 certificateChain:string:number=2 notBefore:time:pointer,number=4 beginRefreshAt:time:pointer,number=5 notAfter:time:pointer,number=6",
  "meta.v1.GroupResource": "group:string:always,number=1 resource:string:always,number=2",
};
