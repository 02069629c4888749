#include "attributes.hpp"

#include <algorithm>
#include <iterator>

namespace cppc::frontend {

bool is_understood(const clang::Attr& attribute) {
  using namespace clang;
  // What the compiler adds of its own says what it knows of the C library's functions.
  if (attribute.isImplicit()) return true;
  return isa<
      // about the object code, and what the compiler warns of
      AlignedAttr, AllocAlignAttr, AllocSizeAttr, AlwaysInlineAttr, AnnotateAttr, ArtificialAttr, AssumeAlignedAttr,
      AvailabilityAttr, AvailableOnlyInDefaultEvalMethodAttr, ColdAttr, CommonAttr, ConstAttr, DeprecatedAttr,
      DiagnoseIfAttr, DisableTailCallsAttr, EnumExtensibilityAttr, ErrorAttr, FallThroughAttr, FlagEnumAttr,
      FlattenAttr, FormatArgAttr, FormatAttr, GNUInlineAttr, HotAttr, LeafAttr, MaxFieldAlignmentAttr, MayAliasAttr,
      MinSizeAttr, MinVectorWidthAttr, ModeAttr, NoAliasAttr, NoCommonAttr, NoDebugAttr, NoDuplicateAttr, NoInlineAttr,
      NoInstrumentFunctionAttr, NoProfileFunctionAttr, NoSanitizeAttr, NoStackProtectorAttr, NoThrowAttr, NonNullAttr,
      OptimizeNoneAttr, PackedAttr, PureAttr, RestrictAttr, ReturnsNonNullAttr, SentinelAttr, StrictFPAttr,
      StrictGuardStackCheckAttr, TLSModelAttr, TargetAttr, TransparentUnionAttr, TypeVisibilityAttr, UnavailableAttr,
      UninitializedAttr, UnusedAttr, UsedAttr, VisibilityAttr, WarnUnusedResultAttr, ZeroCallUsedRegsAttr,
      // C++
      AbiTagAttr, CarriesDependencyAttr, ConstInitAttr, FinalAttr, InitPriorityAttr, LifetimeBoundAttr,
      NoUniqueAddressAttr, OverrideAttr, PreferredNameAttr,
      // what is not said of the program's end
      AnalyzerNoReturnAttr, C11NoReturnAttr, NoReturnAttr,
      // seen by Definitions and Lowering
      AliasAttr, AsmLabelAttr, CleanupAttr, ConstructorAttr, DestructorAttr, IFuncAttr, ReturnsTwiceAttr, SectionAttr,
      WeakAttr, WeakRefAttr,
      // OpenMP: constructs that are seen by Lowering; versions of a function that do the same
      OMPDeclareSimdDeclAttr, OMPThreadPrivateDeclAttr, OMPCaptureNoInitAttr, OMPReferencedVarAttr>(attribute);
}

bool is_hint(const clang::Attr& attribute) {
  using namespace clang;
  return isa<FallThroughAttr, LikelyAttr, UnlikelyAttr, LoopHintAttr, NoMergeAttr, AlwaysInlineAttr, NoInlineAttr,
             UnusedAttr>(attribute);
}

bool is_harmless_attribute(llvm::StringRef name) {
  static constexpr const char* kNames[] = {"access",
                                           "designated_init",
                                           "externally_visible",
                                           "fd_arg",
                                           "fd_arg_read",
                                           "fd_arg_write",
                                           "gcc_struct",
                                           "hardbool",
                                           "no_icf",
                                           "no_reorder",
                                           "noclone",
                                           "noipa",
                                           "nonstring",
                                           "noplt",
                                           "null_terminated_string_arg",
                                           "optimize",
                                           "simd",
                                           "stack_protect",
                                           "tainted_args",
                                           "uninitialized",
                                           "unavailable",
                                           "warn_if_not_aligned"};
  const llvm::StringRef plain =
      name.starts_with("__") && name.ends_with("__") && name.size() > 4 ? name.drop_front(2).drop_back(2) : name;
  return std::ranges::find(kNames, plain) != std::end(kNames);
}

}  // namespace cppc::frontend
