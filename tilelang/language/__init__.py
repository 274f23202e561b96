# ruff: noqa: I001
"""The language of kernels: ``import tilelang.language as T``. Written by tools/gen_language.py; do not edit.

A name is imported when it is first asked for, so that a kernel pays for what it uses only.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tilelang.language.alloc import (
        alloc_barrier as alloc_barrier,
        alloc_buffer as alloc_buffer,
        alloc_cluster_barrier as alloc_cluster_barrier,
        alloc_descriptor as alloc_descriptor,
        alloc_fragment as alloc_fragment,
        alloc_global as alloc_global,
        alloc_local as alloc_local,
        alloc_reducer as alloc_reducer,
        alloc_shared as alloc_shared,
        alloc_tcgen05_instr_desc as alloc_tcgen05_instr_desc,
        alloc_tcgen05_instruction_desc as alloc_tcgen05_instruction_desc,
        alloc_tcgen05_smem_desc as alloc_tcgen05_smem_desc,
        alloc_tmem as alloc_tmem,
        alloc_var as alloc_var,
        alloc_wgmma_desc as alloc_wgmma_desc,
        allocate as allocate,
        decl_buffer as decl_buffer,
        sblock_alloc_buffer as sblock_alloc_buffer,
    )
    from tilelang.language.annotate import (
        WSID as WSID,
        annotate_compile_flags as annotate_compile_flags,
        annotate_l2_hit_ratio as annotate_l2_hit_ratio,
        annotate_layout as annotate_layout,
        annotate_min_blocks_per_sm as annotate_min_blocks_per_sm,
        annotate_pass_configs as annotate_pass_configs,
        annotate_restrict_buffers as annotate_restrict_buffers,
        annotate_safe_value as annotate_safe_value,
        annotate_ws_pipeline_depth as annotate_ws_pipeline_depth,
        annotate_ws_schedule as annotate_ws_schedule,
        assume as assume,
        attr as attr,
        func_attr as func_attr,
        sblock_attr as sblock_attr,
        use_swizzle as use_swizzle,
        ws_op as ws_op,
    )
    from tilelang.language.atomic import (
        atomic_add as atomic_add,
        atomic_addx2 as atomic_addx2,
        atomic_addx4 as atomic_addx4,
        atomic_load as atomic_load,
        atomic_max as atomic_max,
        atomic_min as atomic_min,
        atomic_or as atomic_or,
        atomic_store as atomic_store,
    )
    from tilelang.language.calls import (
        Broadcast as Broadcast,
        FloatImm as FloatImm,
        IntImm as IntImm,
        Ramp as Ramp,
        Shuffle as Shuffle,
        SizeVar as SizeVar,
        StringImm as StringImm,
        Var as Var,
        bind as bind,
        boolean as boolean,
        broadcast as broadcast,
        call_extern as call_extern,
        call_intrin as call_intrin,
        call_pure_extern as call_pure_extern,
        dp4a as dp4a,
        evaluate as evaluate,
        import_source as import_source,
        isnullptr as isnullptr,
        ramp as ramp,
        ret as ret,
        rng_init as rng_init,
        rng_rand as rng_rand,
        rng_rand_float as rng_rand_float,
        undef as undef,
        var as var,
        void as void,
    )
    from tilelang.language.convert import (
        Cast as Cast,
        address_of as address_of,
        cast as cast,
        extract_lane as extract_lane,
        infinity as infinity,
        max_value as max_value,
        min_value as min_value,
        reinterpret as reinterpret,
    )
    from tilelang.language.copies import (
        async_copy as async_copy,
        c2d_im2col as c2d_im2col,
        copy as copy,
        copy_cluster as copy_cluster,
        im2col as im2col,
        tma_copy as tma_copy,
        transpose as transpose,
    )
    from tilelang.language.debug import (
        device_assert as device_assert,
        print as print,
    )
    from tilelang.language.decorators import (
        JITFunc as JITFunc,
        PrimFunc as PrimFunc,
        inline as inline,
        macro as macro,
        meta_class as meta_class,
        prim_func as prim_func,
    )
    from tilelang.language.dtypes import (
        AnyDType as AnyDType,
        bfloat16 as bfloat16,
        bfloat16x16 as bfloat16x16,
        bfloat16x2 as bfloat16x2,
        bfloat16x32 as bfloat16x32,
        bfloat16x4 as bfloat16x4,
        bfloat16x64 as bfloat16x64,
        bfloat16x8 as bfloat16x8,
        bool as bool,
        double as double,
        dtype as dtype,
        float as float,
        float16 as float16,
        float16x16 as float16x16,
        float16x2 as float16x2,
        float16x32 as float16x32,
        float16x4 as float16x4,
        float16x64 as float16x64,
        float16x8 as float16x8,
        float32 as float32,
        float32x16 as float32x16,
        float32x2 as float32x2,
        float32x32 as float32x32,
        float32x4 as float32x4,
        float32x64 as float32x64,
        float32x8 as float32x8,
        float4_e2m1_unpacked as float4_e2m1_unpacked,
        float4_e2m1fn as float4_e2m1fn,
        float4_e2m1fnx16 as float4_e2m1fnx16,
        float4_e2m1fnx2 as float4_e2m1fnx2,
        float4_e2m1fnx32 as float4_e2m1fnx32,
        float4_e2m1fnx4 as float4_e2m1fnx4,
        float4_e2m1fnx64 as float4_e2m1fnx64,
        float4_e2m1fnx8 as float4_e2m1fnx8,
        float64 as float64,
        float64x16 as float64x16,
        float64x2 as float64x2,
        float64x32 as float64x32,
        float64x4 as float64x4,
        float64x64 as float64x64,
        float64x8 as float64x8,
        float6_e2m3fn as float6_e2m3fn,
        float6_e2m3fnx16 as float6_e2m3fnx16,
        float6_e2m3fnx2 as float6_e2m3fnx2,
        float6_e2m3fnx32 as float6_e2m3fnx32,
        float6_e2m3fnx4 as float6_e2m3fnx4,
        float6_e2m3fnx64 as float6_e2m3fnx64,
        float6_e2m3fnx8 as float6_e2m3fnx8,
        float6_e3m2fn as float6_e3m2fn,
        float6_e3m2fnx16 as float6_e3m2fnx16,
        float6_e3m2fnx2 as float6_e3m2fnx2,
        float6_e3m2fnx32 as float6_e3m2fnx32,
        float6_e3m2fnx4 as float6_e3m2fnx4,
        float6_e3m2fnx64 as float6_e3m2fnx64,
        float6_e3m2fnx8 as float6_e3m2fnx8,
        float8_e3m4 as float8_e3m4,
        float8_e3m4x16 as float8_e3m4x16,
        float8_e3m4x2 as float8_e3m4x2,
        float8_e3m4x32 as float8_e3m4x32,
        float8_e3m4x4 as float8_e3m4x4,
        float8_e3m4x64 as float8_e3m4x64,
        float8_e3m4x8 as float8_e3m4x8,
        float8_e4m3 as float8_e4m3,
        float8_e4m3b11fnuz as float8_e4m3b11fnuz,
        float8_e4m3b11fnuzx16 as float8_e4m3b11fnuzx16,
        float8_e4m3b11fnuzx2 as float8_e4m3b11fnuzx2,
        float8_e4m3b11fnuzx32 as float8_e4m3b11fnuzx32,
        float8_e4m3b11fnuzx4 as float8_e4m3b11fnuzx4,
        float8_e4m3b11fnuzx64 as float8_e4m3b11fnuzx64,
        float8_e4m3b11fnuzx8 as float8_e4m3b11fnuzx8,
        float8_e4m3fn as float8_e4m3fn,
        float8_e4m3fnuz as float8_e4m3fnuz,
        float8_e4m3fnuzx16 as float8_e4m3fnuzx16,
        float8_e4m3fnuzx2 as float8_e4m3fnuzx2,
        float8_e4m3fnuzx32 as float8_e4m3fnuzx32,
        float8_e4m3fnuzx4 as float8_e4m3fnuzx4,
        float8_e4m3fnuzx64 as float8_e4m3fnuzx64,
        float8_e4m3fnuzx8 as float8_e4m3fnuzx8,
        float8_e4m3fnx16 as float8_e4m3fnx16,
        float8_e4m3fnx2 as float8_e4m3fnx2,
        float8_e4m3fnx32 as float8_e4m3fnx32,
        float8_e4m3fnx4 as float8_e4m3fnx4,
        float8_e4m3fnx64 as float8_e4m3fnx64,
        float8_e4m3fnx8 as float8_e4m3fnx8,
        float8_e4m3x16 as float8_e4m3x16,
        float8_e4m3x2 as float8_e4m3x2,
        float8_e4m3x32 as float8_e4m3x32,
        float8_e4m3x4 as float8_e4m3x4,
        float8_e4m3x64 as float8_e4m3x64,
        float8_e4m3x8 as float8_e4m3x8,
        float8_e5m2 as float8_e5m2,
        float8_e5m2fnuz as float8_e5m2fnuz,
        float8_e5m2fnuzx16 as float8_e5m2fnuzx16,
        float8_e5m2fnuzx2 as float8_e5m2fnuzx2,
        float8_e5m2fnuzx32 as float8_e5m2fnuzx32,
        float8_e5m2fnuzx4 as float8_e5m2fnuzx4,
        float8_e5m2fnuzx64 as float8_e5m2fnuzx64,
        float8_e5m2fnuzx8 as float8_e5m2fnuzx8,
        float8_e5m2x16 as float8_e5m2x16,
        float8_e5m2x2 as float8_e5m2x2,
        float8_e5m2x32 as float8_e5m2x32,
        float8_e5m2x4 as float8_e5m2x4,
        float8_e5m2x64 as float8_e5m2x64,
        float8_e5m2x8 as float8_e5m2x8,
        float8_e8m0fnu as float8_e8m0fnu,
        float8_e8m0fnux16 as float8_e8m0fnux16,
        float8_e8m0fnux2 as float8_e8m0fnux2,
        float8_e8m0fnux32 as float8_e8m0fnux32,
        float8_e8m0fnux4 as float8_e8m0fnux4,
        float8_e8m0fnux64 as float8_e8m0fnux64,
        float8_e8m0fnux8 as float8_e8m0fnux8,
        get_tvm_dtype as get_tvm_dtype,
        half as half,
        int as int,
        int16 as int16,
        int16x16 as int16x16,
        int16x2 as int16x2,
        int16x32 as int16x32,
        int16x4 as int16x4,
        int16x64 as int16x64,
        int16x8 as int16x8,
        int32 as int32,
        int32x16 as int32x16,
        int32x2 as int32x2,
        int32x32 as int32x32,
        int32x4 as int32x4,
        int32x64 as int32x64,
        int32x8 as int32x8,
        int4 as int4,
        int64 as int64,
        int64x16 as int64x16,
        int64x2 as int64x2,
        int64x32 as int64x32,
        int64x4 as int64x4,
        int64x64 as int64x64,
        int64x8 as int64x8,
        int8 as int8,
        int8x16 as int8x16,
        int8x2 as int8x2,
        int8x32 as int8x32,
        int8x4 as int8x4,
        int8x64 as int8x64,
        int8x8 as int8x8,
        is_f8f6f4_family as is_f8f6f4_family,
        is_float4 as is_float4,
        is_float4_e2m1_unpacked as is_float4_e2m1_unpacked,
        is_float4_e2m1fn as is_float4_e2m1fn,
        long as long,
        short as short,
        tfloat32 as tfloat32,
        tfloat32x16 as tfloat32x16,
        tfloat32x2 as tfloat32x2,
        tfloat32x32 as tfloat32x32,
        tfloat32x4 as tfloat32x4,
        tfloat32x64 as tfloat32x64,
        tfloat32x8 as tfloat32x8,
        uint as uint,
        uint16 as uint16,
        uint16x16 as uint16x16,
        uint16x2 as uint16x2,
        uint16x32 as uint16x32,
        uint16x4 as uint16x4,
        uint16x64 as uint16x64,
        uint16x8 as uint16x8,
        uint32 as uint32,
        uint32x16 as uint32x16,
        uint32x2 as uint32x2,
        uint32x32 as uint32x32,
        uint32x4 as uint32x4,
        uint32x64 as uint32x64,
        uint32x8 as uint32x8,
        uint64 as uint64,
        uint64x16 as uint64x16,
        uint64x2 as uint64x2,
        uint64x32 as uint64x32,
        uint64x4 as uint64x4,
        uint64x64 as uint64x64,
        uint64x8 as uint64x8,
        uint8 as uint8,
        uint8x16 as uint8x16,
        uint8x2 as uint8x2,
        uint8x32 as uint8x32,
        uint8x4 as uint8x4,
        uint8x64 as uint8x64,
        uint8x8 as uint8x8,
        validate_gemm_ab_dtypes as validate_gemm_ab_dtypes,
    )
    from tilelang.language.fastmath import (
        abs2 as abs2,
        add2 as add2,
        fast_rcp as fast_rcp,
        fma2 as fma2,
        ieee_add as ieee_add,
        ieee_fdiv as ieee_fdiv,
        ieee_fmaf as ieee_fmaf,
        ieee_frcp as ieee_frcp,
        ieee_frsqrt as ieee_frsqrt,
        ieee_fsqrt as ieee_fsqrt,
        ieee_mul as ieee_mul,
        ieee_sub as ieee_sub,
        max2 as max2,
        min2 as min2,
        mul2 as mul2,
        sub2 as sub2,
    )
    from tilelang.language.fills import (
        clear as clear,
        fill as fill,
    )
    from tilelang.language.intrinsics import (
        __cos as __cos,
        __exp as __exp,
        __exp10 as __exp10,
        __ffs as __ffs,
        __fns as __fns,
        __ldg as __ldg,
        __log as __log,
        __log10 as __log10,
        __log2 as __log2,
        __sin as __sin,
        __tan as __tan,
    )
    from tilelang.language.kernel import (
        CUDASourceCodeKernel as CUDASourceCodeKernel,
        ClusterKernel as ClusterKernel,
        Kernel as Kernel,
        KernelLaunchFrame as KernelLaunchFrame,
        env_thread as env_thread,
        get_block_binding as get_block_binding,
        get_block_bindings as get_block_bindings,
        get_block_extent as get_block_extent,
        get_block_extents as get_block_extents,
        get_thread_binding as get_thread_binding,
        get_thread_bindings as get_thread_bindings,
        get_thread_extent as get_thread_extent,
        get_thread_extents as get_thread_extents,
        launch_thread as launch_thread,
        thread_binding as thread_binding,
        thread_return as thread_return,
    )
    from tilelang.language.layouts import (
        Fragment as Fragment,
        Layout as Layout,
        PartialFragment as PartialFragment,
    )
    from tilelang.language.loops import (
        Parallel as Parallel,
        Persistent as Persistent,
        Pipelined as Pipelined,
        Serial as Serial,
        Unroll as Unroll,
        Vectorized as Vectorized,
        break_loop as break_loop,
        continue_loop as continue_loop,
        grid as grid,
        loop_break as loop_break,
        parallel as parallel,
        serial as serial,
        unroll as unroll,
        vectorized as vectorized,
    )
    from tilelang.language.math import (
        Select as Select,
        abs as abs,
        acos as acos,
        acosh as acosh,
        asin as asin,
        asinh as asinh,
        atan as atan,
        atan2 as atan2,
        atanh as atanh,
        ceil as ceil,
        clamp as clamp,
        clz as clz,
        copysign as copysign,
        cos as cos,
        cosh as cosh,
        erf as erf,
        exp as exp,
        exp10 as exp10,
        exp2 as exp2,
        fabs as fabs,
        floor as floor,
        fma as fma,
        fmod as fmod,
        fmul as fmul,
        hypot as hypot,
        if_then_else as if_then_else,
        isfinite as isfinite,
        isinf as isinf,
        isnan as isnan,
        ldexp as ldexp,
        likely as likely,
        log as log,
        log10 as log10,
        log1p as log1p,
        log2 as log2,
        max as max,
        min as min,
        nearbyint as nearbyint,
        nextafter as nextafter,
        popcount as popcount,
        pow as pow,
        q_multiply_shift as q_multiply_shift,
        q_multiply_shift_per_axis as q_multiply_shift_per_axis,
        round as round,
        rsqrt as rsqrt,
        sigmoid as sigmoid,
        sin as sin,
        sinh as sinh,
        sqrt as sqrt,
        tan as tan,
        tanh as tanh,
        trunc as trunc,
    )
    from tilelang.language.opaque.alloc import (
        BufferLoad as BufferLoad,
        buffer_decl as buffer_decl,
        buffer_store as buffer_store,
        buffer_var as buffer_var,
        tvm_stack_alloca as tvm_stack_alloca,
    )
    from tilelang.language.opaque.barriers import (
        create_barriers as create_barriers,
        ptx_arrive_barrier as ptx_arrive_barrier,
        ptx_arrive_barrier_expect_tx as ptx_arrive_barrier_expect_tx,
        ptx_cp_async as ptx_cp_async,
        ptx_cp_async_barrier as ptx_cp_async_barrier,
        ptx_cp_async_bulk as ptx_cp_async_bulk,
        ptx_init_barrier_thread_count as ptx_init_barrier_thread_count,
        ptx_wait_barrier as ptx_wait_barrier,
        tvm_bmma_sync as tvm_bmma_sync,
        tvm_load_matrix_sync as tvm_load_matrix_sync,
        tvm_mma_sync as tvm_mma_sync,
        tvm_store_matrix_sync as tvm_store_matrix_sync,
    )
    from tilelang.language.opaque.cluster import (
        WGMMADescriptorParams as WGMMADescriptorParams,
        clc_get_first_ctaid_x as clc_get_first_ctaid_x,
        clc_get_first_ctaid_y as clc_get_first_ctaid_y,
        clc_get_first_ctaid_z as clc_get_first_ctaid_z,
        clc_is_canceled as clc_is_canceled,
        clc_try_cancel as clc_try_cancel,
        clc_try_cancel_multicast as clc_try_cancel_multicast,
        compute_gmma_descriptor as compute_gmma_descriptor,
        compute_umma_descriptor as compute_umma_descriptor,
        create_tma_descriptor as create_tma_descriptor,
        get_cluster_dims as get_cluster_dims,
        get_cluster_extent as get_cluster_extent,
        get_cluster_extents as get_cluster_extents,
        get_cluster_id as get_cluster_id,
        get_cluster_ids as get_cluster_ids,
        get_cluster_size as get_cluster_size,
        increase_descriptor_offset as increase_descriptor_offset,
        initialize_wgmma_descriptor as initialize_wgmma_descriptor,
        tma_gather4 as tma_gather4,
        tma_gather4_bytes as tma_gather4_bytes,
        tma_load as tma_load,
        tma_load_2sm as tma_load_2sm,
        tma_scatter4 as tma_scatter4,
    )
    from tilelang.language.opaque.copies import (
        get_let_value as get_let_value,
    )
    from tilelang.language.opaque.gemm import (
        SparseTensorCoreIntrinEmitter as SparseTensorCoreIntrinEmitter,
        TCGEN05TensorCoreIntrinEmitter as TCGEN05TensorCoreIntrinEmitter,
        TensorCoreIntrinEmitter as TensorCoreIntrinEmitter,
        TensorCoreIntrinEmitterSM120 as TensorCoreIntrinEmitterSM120,
        TensorCoreIntrinEmitterWithLadderTransform as TensorCoreIntrinEmitterWithLadderTransform,
        WGMMATensorCoreIntrinEmitter as WGMMATensorCoreIntrinEmitter,
        WGSparseTensorCoreIntrinEmitter as WGSparseTensorCoreIntrinEmitter,
        get_ldmatrix_offset as get_ldmatrix_offset,
        get_mma_micro_size as get_mma_micro_size,
        mma_fill as mma_fill,
        mma_store as mma_store,
        mma_store_index_map as mma_store_index_map,
        ptx_ldmatrix as ptx_ldmatrix,
        ptx_mma as ptx_mma,
        ptx_mma_block_scale as ptx_mma_block_scale,
        ptx_mma_sm70 as ptx_mma_sm70,
        ptx_mma_sp as ptx_mma_sp,
        ptx_tcgen05_mma_blockscaled_ss as ptx_tcgen05_mma_blockscaled_ss,
        ptx_tcgen05_mma_ss as ptx_tcgen05_mma_ss,
        ptx_tcgen05_mma_ts as ptx_tcgen05_mma_ts,
        ptx_wgmma_rs as ptx_wgmma_rs,
        ptx_wgmma_sp_rs as ptx_wgmma_sp_rs,
        ptx_wgmma_sp_ss as ptx_wgmma_sp_ss,
        ptx_wgmma_ss as ptx_wgmma_ss,
    )
    from tilelang.language.opaque.kernel import (
        BaseTileScheduler as BaseTileScheduler,
        PersistentTileScheduler as PersistentTileScheduler,
    )
    from tilelang.language.opaque.loop import (
        ignore_loop_partition as ignore_loop_partition,
    )
    from tilelang.language.opaque.other import (
        Call as Call,
        CallEffectKind as CallEffectKind,
        IterVar as IterVar,
        Let as Let,
        PrimExpr as PrimExpr,
        ProducerLoad as ProducerLoad,
        Range as Range,
        Reduce as Reduce,
        TVMBackendAllocWorkspace as TVMBackendAllocWorkspace,
        TVMBackendFreeWorkspace as TVMBackendFreeWorkspace,
        anylist_getitem as anylist_getitem,
        anylist_resetitem as anylist_resetitem,
        anylist_setitem_call_cpacked as anylist_setitem_call_cpacked,
        anylist_setitem_call_packed as anylist_setitem_call_packed,
        arg as arg,
        axis as axis,
        block_name_suffix_context as block_name_suffix_context,
        call_cpacked as call_cpacked,
        call_cpacked_lowered as call_cpacked_lowered,
        call_kernel as call_kernel,
        call_llvm_intrin as call_llvm_intrin,
        call_llvm_pure_intrin as call_llvm_pure_intrin,
        call_packed as call_packed,
        call_packed_lowered as call_packed_lowered,
        end_profile_intrinsic as end_profile_intrinsic,
        handle_add_byte_offset as handle_add_byte_offset,
        has_let_value as has_let_value,
        index_map as index_map,
        iter_var as iter_var,
        let as let,
        llvm_lookup_intrinsic_id as llvm_lookup_intrinsic_id,
        lookup_param as lookup_param,
        meta_var as meta_var,
        start_profile_intrinsic as start_profile_intrinsic,
        tvm_call_cpacked as tvm_call_cpacked,
        tvm_call_cpacked_lowered as tvm_call_cpacked_lowered,
        tvm_call_packed as tvm_call_packed,
        tvm_call_packed_lowered as tvm_call_packed_lowered,
        tvm_fill_fragment as tvm_fill_fragment,
        tvm_stack_make_array as tvm_stack_make_array,
        tvm_stack_make_shape as tvm_stack_make_shape,
        tvm_struct_get as tvm_struct_get,
        tvm_struct_set as tvm_struct_set,
        tvm_thread_allreduce as tvm_thread_allreduce,
        tvm_thread_invariant as tvm_thread_invariant,
        tvm_throw_last_error as tvm_throw_last_error,
        tvm_tuple as tvm_tuple,
        vectorcombine as vectorcombine,
        vectorhigh as vectorhigh,
        vectorlow as vectorlow,
        vscale as vscale,
    )
    from tilelang.language.opaque.reduce import (
        CommReducer as CommReducer,
        comm_reducer as comm_reducer,
    )
    from tilelang.language.opaque.target import (
        target as target,
    )
    from tilelang.language.opaque.tcgen05 import (
        TCGEN05DescriptorParams as TCGEN05DescriptorParams,
        initialize_tcgen05_descriptor as initialize_tcgen05_descriptor,
        tcgen05_cp_warpx4 as tcgen05_cp_warpx4,
        tcgen05_sf_warp_transpose as tcgen05_sf_warp_transpose,
    )
    from tilelang.language.opaque.warp import (
        get_active_lane_mask as get_active_lane_mask,
        tvm_warp_activemask as tvm_warp_activemask,
        tvm_warp_shuffle as tvm_warp_shuffle,
        tvm_warp_shuffle_down as tvm_warp_shuffle_down,
        tvm_warp_shuffle_up as tvm_warp_shuffle_up,
    )
    from tilelang.language.operators import (
        Add as Add,
        And as And,
        Div as Div,
        EQ as EQ,
        FloorDiv as FloorDiv,
        FloorMod as FloorMod,
        GE as GE,
        GT as GT,
        LE as LE,
        LT as LT,
        Max as Max,
        Min as Min,
        Mod as Mod,
        Mul as Mul,
        NE as NE,
        Not as Not,
        Or as Or,
        Sub as Sub,
        align_up as align_up,
        bitwise_and as bitwise_and,
        bitwise_not as bitwise_not,
        bitwise_or as bitwise_or,
        bitwise_xor as bitwise_xor,
        cdiv as cdiv,
        ceildiv as ceildiv,
        floordiv as floordiv,
        floormod as floormod,
        shift_left as shift_left,
        shift_right as shift_right,
        truncdiv as truncdiv,
        truncmod as truncmod,
    )
    from tilelang.language.pointers import (
        Ptr as Ptr,
        access_ptr as access_ptr,
        ldg128 as ldg128,
        ldg256 as ldg256,
        ldg32 as ldg32,
        ldg64 as ldg64,
        lds128 as lds128,
        lds32 as lds32,
        lds64 as lds64,
        stg128 as stg128,
        stg256 as stg256,
        stg32 as stg32,
        stg64 as stg64,
        sts128 as sts128,
        sts32 as sts32,
        sts64 as sts64,
        tvm_access_ptr as tvm_access_ptr,
    )
    from tilelang.language.policy import (
        GemmWarpPolicy as GemmWarpPolicy,
    )
    from tilelang.language.products import (
        gemm as gemm,
        gemm_blockscaled as gemm_blockscaled,
        gemm_sp as gemm_sp,
        mma_gemm_blockscaled as mma_gemm_blockscaled,
        tcgen05_gemm as tcgen05_gemm,
        tcgen05_gemm_blockscaled as tcgen05_gemm_blockscaled,
        tcgen05_gemm_sp as tcgen05_gemm_sp,
        tcgen05_mma as tcgen05_mma,
        tcgen05_mma_blockscaled as tcgen05_mma_blockscaled,
        wgmma_gemm as wgmma_gemm,
        wgmma_gemm_sp as wgmma_gemm_sp,
        wgmma_mma as wgmma_mma,
    )
    from tilelang.language.reductions import (
        all_of as all_of,
        any_of as any_of,
        finalize_reducer as finalize_reducer,
        reduce as reduce,
        reduce_absmax as reduce_absmax,
        reduce_abssum as reduce_abssum,
        reduce_bitand as reduce_bitand,
        reduce_bitor as reduce_bitor,
        reduce_bitxor as reduce_bitxor,
        reduce_max as reduce_max,
        reduce_min as reduce_min,
        reduce_sum as reduce_sum,
        reducer_init as reducer_init,
        reducer_update as reducer_update,
        warp_reduce_bitand as warp_reduce_bitand,
        warp_reduce_bitor as warp_reduce_bitor,
        warp_reduce_max as warp_reduce_max,
        warp_reduce_min as warp_reduce_min,
        warp_reduce_sum as warp_reduce_sum,
    )
    from tilelang.language.removed import (
        determine_fp8_type as determine_fp8_type,
        determine_torch_fp8_type as determine_torch_fp8_type,
    )
    from tilelang.language.scan import (
        cummax as cummax,
        cumsum as cumsum,
    )
    from tilelang.language.schedule import (
        WSInstr as WSInstr,
        WSOpRef as WSOpRef,
        WSPipeline as WSPipeline,
        WSRole as WSRole,
        WSSchedule as WSSchedule,
        WSScope as WSScope,
        WSSync as WSSync,
        WSSyncKind as WSSyncKind,
    )
    from tilelang.language.script import (
        Any as Any,
        Assert as Assert,
        Else as Else,
        If as If,
        Then as Then,
        While as While,
        func_name as func_name,
        func_ret as func_ret,
        init as init,
        reads as reads,
        sblock as sblock,
        type_annotation as type_annotation,
        where as where,
        writes as writes,
    )
    from tilelang.language.shape import (
        index_to_coordinates as index_to_coordinates,
        reshape as reshape,
        view as view,
    )
    from tilelang.language.swizzle import (
        get_swizzle_layout as get_swizzle_layout,
        make_blockscaled_gemm_layout as make_blockscaled_gemm_layout,
        make_mma_swizzle_layout as make_mma_swizzle_layout,
    )
    from tilelang.language.symbols import (
        const as const,
        dynamic as dynamic,
        symbolic as symbolic,
    )
    from tilelang.language.sync import (
        annotate_consumer_reg_alloc as annotate_consumer_reg_alloc,
        annotate_producer_reg_dealloc as annotate_producer_reg_dealloc,
        barrier_arrive as barrier_arrive,
        barrier_wait as barrier_wait,
        cluster_arrive as cluster_arrive,
        cluster_arrive_relaxed as cluster_arrive_relaxed,
        cluster_sync as cluster_sync,
        cluster_wait as cluster_wait,
        cp_async_barrier_noinc as cp_async_barrier_noinc,
        deallocate_tmem as deallocate_tmem,
        dec_max_nreg as dec_max_nreg,
        disable_warp_group_reg_alloc as disable_warp_group_reg_alloc,
        fence_proxy_async as fence_proxy_async,
        inc_max_nreg as inc_max_nreg,
        mbarrier_arrive as mbarrier_arrive,
        mbarrier_arrive_expect_tx as mbarrier_arrive_expect_tx,
        mbarrier_expect_tx as mbarrier_expect_tx,
        mbarrier_wait_parity as mbarrier_wait_parity,
        named_barrier_arrive as named_barrier_arrive,
        no_set_max_nreg as no_set_max_nreg,
        pdl_sync as pdl_sync,
        pdl_trigger as pdl_trigger,
        ptx_arrive_cluster_barrier as ptx_arrive_cluster_barrier,
        ptx_commit_group as ptx_commit_group,
        ptx_fence_barrier_init as ptx_fence_barrier_init,
        ptx_wait_group as ptx_wait_group,
        set_max_nreg as set_max_nreg,
        sync_grid as sync_grid,
        sync_threads as sync_threads,
        sync_warp as sync_warp,
        syncthreads_and as syncthreads_and,
        syncthreads_count as syncthreads_count,
        syncthreads_or as syncthreads_or,
        tcgen05_after_thread_sync as tcgen05_after_thread_sync,
        tcgen05_before_thread_sync as tcgen05_before_thread_sync,
        tcgen05_mma_arrive as tcgen05_mma_arrive,
        tma_store_arrive as tma_store_arrive,
        tma_store_wait as tma_store_wait,
        tvm_storage_sync as tvm_storage_sync,
        wait_wgmma as wait_wgmma,
        warpgroup_arrive as warpgroup_arrive,
        warpgroup_commit_batch as warpgroup_commit_batch,
        warpgroup_fence_operand as warpgroup_fence_operand,
        warpgroup_wait as warpgroup_wait,
    )
    from tilelang.language.tensors import (
        Buffer as Buffer,
        FragmentBuffer as FragmentBuffer,
        LocalBuffer as LocalBuffer,
        Ref as Ref,
        SharedBuffer as SharedBuffer,
        StridedTensor as StridedTensor,
        Tensor as Tensor,
        buffer as buffer,
        empty as empty,
        handle as handle,
        make_tensor as make_tensor,
        make_tensor_from_addr as make_tensor_from_addr,
        match_buffer as match_buffer,
        ptr as ptr,
    )
    from tilelang.language.warp import (
        WarpSpecialize as WarpSpecialize,
        WarpSpecializeFrame as WarpSpecializeFrame,
        activemask as activemask,
        all_sync as all_sync,
        any_sync as any_sync,
        ballot as ballot,
        ballot_sync as ballot_sync,
        block_rank_in_cluster as block_rank_in_cluster,
        get_lane_idx as get_lane_idx,
        get_warp_group_idx as get_warp_group_idx,
        get_warp_idx as get_warp_idx,
        get_warp_idx_sync as get_warp_idx_sync,
        match_all_sync as match_all_sync,
        match_any_sync as match_any_sync,
        shfl_down as shfl_down,
        shfl_sync as shfl_sync,
        shfl_up as shfl_up,
        shfl_xor as shfl_xor,
        shuffle_elect as shuffle_elect,
        ws as ws,
    )
    from tilelang.language import annotate as _annotations

    annotations = _annotations
    from tilelang.language import atomic as _atomic

    atomic = _atomic
    from tilelang.language import sync as _builtin

    builtin = _builtin
    from tilelang.language import alloc as _common

    common = _common
    from tilelang.language import copies as _copy_op

    copy_op = _copy_op
    from tilelang.language import shape as _customize

    customize = _customize
    from tilelang.language import dtypes as _dtypes

    dtypes = _dtypes
    from tilelang.language import decorators as _eager

    eager = _eager
    from tilelang.language import products as _experimental

    experimental = _experimental
    from tilelang.language import fills as _fill_op

    fill_op = _fill_op
    from tilelang.language import frames as _frame

    frame = _frame
    from tilelang.language import products as _gemm_op

    gemm_op = _gemm_op
    from tilelang.language import kernel as _kernel

    kernel = _kernel
    from tilelang.language import reductions as _logical

    logical = _logical
    from tilelang.language import loops as _loop

    loop = _loop
    from tilelang.language import fastmath as _math_intrinsics

    math_intrinsics = _math_intrinsics
    from tilelang.language import decorators as _meta

    meta = _meta
    from tilelang.language import calls as _overrides

    overrides = _overrides
    from tilelang.language import tensors as _proxy

    proxy = _proxy
    from tilelang.language import reductions as _reduce_op

    reduce_op = _reduce_op
    from tilelang.language import scan as _scan_op

    scan_op = _scan_op
    from tilelang.language import symbols as _symbolics

    symbolics = _symbolics
    from tilelang.language.opaque import kernel as _tile_schedule

    tile_schedule = _tile_schedule
    from tilelang.language import script as _tir

    tir = _tir
    from tilelang.language import shape as _utils

    utils = _utils
    from tilelang.language import schedule as _warp_specialize

    warp_specialize = _warp_specialize
else:

    def __getattr__(name: str) -> object:
        from tilelang.language.registry import load

        found = load(name)
        globals()[name] = found
        return found


def __dir__() -> list[str]:
    from tilelang.language.registry import all_names

    return sorted({*globals(), *all_names()})
