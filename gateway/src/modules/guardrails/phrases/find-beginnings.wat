;; Finds the places of a text where a phrase may begin: where a word does, and its first letters and those behind them,
;; whatever separates them, are those of a phrase. Sixteen characters are looked at together. What is in the tables is
;; explained in find-beginnings.ts, which writes them; places in the memory stand in both files.

(module
  ;; A page is 64 KiB. Kinds of characters, by UTF-16 unit.
  (memory (export "memory") 5)
  (global $KINDS i32 (i32.const 0))
  ;; The text, in UTF-16, with blanks behind it.
  (global $TEXT i32 (i32.const 65536))
  ;; The kinds of all its characters but separators, one after another.
  (global $LETTERS i32 (i32.const 131_136))
  ;; Of each beginning: its place in the text, and above that its place among the letters. In the end, places alone.
  (global $BEGINNINGS i32 (i32.const 163_968))
  ;; A bit for each three kinds, for what seven letters come to, and for what four do.
  (global $THREE i32 (i32.const 295_104))
  (global $SEVEN i32 (i32.const 299_200))
  (global $FOUR i32 (i32.const 307_392))
  ;; By mask of eight characters: the places of those that are in it, from the first on.
  (global $ORDERS i32 (i32.const 315_584))
  ;; The kinds of sixteen characters that are not all plain.
  (global $SIXTEEN i32 (i32.const 317_632))

  (global $STRANGE i32 (i32.const 28))
  (global $WILD i32 (i32.const 31))

  ;; Answers how many places there are.
  (func (export "find") (param $length i32) (result i32)
    (call $choose (call $readWords (local.get $length))))

  ;; Writes the letters down, and where words begin.
  (func $readWords (param $length i32) (result i32)
    (local $place i32) (local $letters i32) (local $count i32)
    (local $begins i32) (local $present i32) (local $first i32)
    (local $bytes v128) (local $lower v128) (local $kinds v128)
    (local $before v128) (local $previous v128) (local $letter v128)
    (local.set $letters (global.get $LETTERS))
    (local.set $count (global.get $BEGINNINGS))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $place) (local.get $length)))
        (local.set $first (i32.add (global.get $TEXT) (i32.shl (local.get $place) (i32.const 1))))
        (local.set $bytes
          (i8x16.narrow_i16x8_u
            (i16x8.min_u (v128.load (local.get $first)) (i16x8.splat (i32.const 0xff)))
            (i16x8.min_u (v128.load offset=16 (local.get $first)) (i16x8.splat (i32.const 0xff)))))
        (if
          (v128.any_true
            (v128.or
              (i8x16.ge_u (local.get $bytes) (i8x16.splat (i32.const 0x7f)))
              (v128.andnot
                (i8x16.lt_u (local.get $bytes) (i8x16.splat (i32.const 0x20)))
                (i8x16.lt_u
                  (i8x16.sub (local.get $bytes) (i8x16.splat (i32.const 9)))
                  (i8x16.splat (i32.const 5))))))
          (then (local.set $kinds (call $lookUp (local.get $first))))
          (else
            (local.set $lower (v128.or (local.get $bytes) (i8x16.splat (i32.const 0x20))))
            (local.set $letter
              (i8x16.lt_u
                (i8x16.sub (local.get $lower) (i8x16.splat (i32.const 0x61)))
                (i8x16.splat (i32.const 26))))
            (local.set $kinds
              (v128.or
                (v128.and (v128.and (local.get $lower) (i8x16.splat (i32.const 0x1f))) (local.get $letter))
                (v128.and
                  (i8x16.lt_u
                    (i8x16.sub (local.get $bytes) (i8x16.splat (i32.const 0x30)))
                    (i8x16.splat (i32.const 10)))
                  (i8x16.splat (i32.const 27)))))))
        (local.set $previous
          (i8x16.shuffle 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 (local.get $before) (local.get $kinds)))
        (local.set $letter (i8x16.ne (local.get $kinds) (i8x16.splat (i32.const 0))))
        (local.set $present (i8x16.bitmask (local.get $letter)))
        (local.set $begins
          (i8x16.bitmask
            (v128.or
              (v128.andnot
                (v128.and
                  (v128.or
                    (i8x16.eq (local.get $previous) (i8x16.splat (i32.const 0)))
                    (i8x16.eq (local.get $previous) (i8x16.splat (global.get $WILD))))
                  (local.get $letter))
                (i8x16.eq (local.get $kinds) (i8x16.splat (global.get $STRANGE))))
              (i8x16.eq (local.get $kinds) (i8x16.splat (global.get $WILD))))))
        (local.set $before (local.get $kinds))
        (block $noneLeft
          (loop $nextBeginning
            (br_if $noneLeft (i32.eqz (local.get $begins)))
            (i32.store (local.get $count)
              (i32.or
                (i32.add (local.get $place) (i32.ctz (local.get $begins)))
                (i32.shl
                  (i32.add
                    (i32.sub (local.get $letters) (global.get $LETTERS))
                    (i32.popcnt
                      (i32.and
                        (local.get $present)
                        (i32.sub
                          (i32.and (local.get $begins) (i32.sub (i32.const 0) (local.get $begins)))
                          (i32.const 1)))))
                  (i32.const 16))))
            (local.set $count (i32.add (local.get $count) (i32.const 4)))
            (local.set $begins (i32.and (local.get $begins) (i32.sub (local.get $begins) (i32.const 1))))
            (br $nextBeginning)))
        (local.set $first (i32.and (local.get $present) (i32.const 0xff)))
        (v128.store64_lane 0 (local.get $letters)
          (i8x16.swizzle
            (local.get $kinds)
            (v128.load64_zero (i32.add (global.get $ORDERS) (i32.shl (local.get $first) (i32.const 3))))))
        (local.set $letters (i32.add (local.get $letters) (i32.popcnt (local.get $first))))
        (local.set $first (i32.shr_u (local.get $present) (i32.const 8)))
        (v128.store64_lane 0 (local.get $letters)
          (i8x16.swizzle
            (local.get $kinds)
            (i8x16.add
              (v128.load64_zero (i32.add (global.get $ORDERS) (i32.shl (local.get $first) (i32.const 3))))
              (i8x16.splat (i32.const 8)))))
        (local.set $letters (i32.add (local.get $letters) (i32.popcnt (local.get $first))))
        (local.set $place (i32.add (local.get $place) (i32.const 16)))
        (br $next)))
    ;; What follows the text may be anything.
    (i64.store (local.get $letters) (i64.const 0x1f1f1f1f1f1f1f1f))
    (i32.sub (local.get $count) (global.get $BEGINNINGS)))

  (func $lookUp (param $first i32) (result v128)
    (local $index i32)
    (loop $next
      (i32.store8
        (i32.add (global.get $SIXTEEN) (local.get $index))
        (i32.load8_u
          (i32.add
            (global.get $KINDS)
            (i32.load16_u (i32.add (local.get $first) (i32.shl (local.get $index) (i32.const 1)))))))
      (local.set $index (i32.add (local.get $index) (i32.const 1)))
      (br_if $next (i32.lt_u (local.get $index) (i32.const 16))))
    (v128.load (global.get $SIXTEEN)))

  ;; Keeps the beginnings with which a phrase may begin: seven letters may begin a long one or four a short one, and
  ;; three kinds either. Where one of the seven is no plain letter, three kinds have to do.
  (func $choose (param $bytes i32) (result i32)
    (local $at i32) (local $end i32) (local $kept i32) (local $beginning i32)
    (local $opening i64) (local $seven i32) (local $four i32) (local $three i32)
    (local.set $at (global.get $BEGINNINGS))
    (local.set $kept (global.get $BEGINNINGS))
    (local.set $end (i32.add (local.get $at) (local.get $bytes)))
    (block $done
      (loop $next
        (br_if $done (i32.eq (local.get $at) (local.get $end)))
        (local.set $beginning (i32.load (local.get $at)))
        (local.set $at (i32.add (local.get $at) (i32.const 4)))
        (local.set $opening
          (i64.and
            (i64.load (i32.add (global.get $LETTERS) (i32.shr_u (local.get $beginning) (i32.const 16))))
            (i64.const 0x00ff_ffff_ffff_ffff)))
        ;; The high bits of a product depend on all letters.
        (local.set $seven
          (i32.wrap_i64
            (i64.shr_u (i64.mul (local.get $opening) (i64.const 0x9e37_79b9_7f4a_7c15)) (i64.const 48))))
        (local.set $four
          (i32.shr_u (i32.mul (i32.wrap_i64 (local.get $opening)) (i32.const 0x9e37_79b9)) (i32.const 16)))
        (br_if $next
          (i32.eqz
            (i32.and
              (i32.or
                (i32.or
                  (i32.shr_u
                    (i32.load8_u (i32.add (global.get $SEVEN) (i32.shr_u (local.get $seven) (i32.const 3))))
                    (i32.and (local.get $seven) (i32.const 7)))
                  (i32.shr_u
                    (i32.load8_u (i32.add (global.get $FOUR) (i32.shr_u (local.get $four) (i32.const 3))))
                    (i32.and (local.get $four) (i32.const 7))))
                ;; Kinds from 27 on have a sixth bit then.
                (i64.ne
                  (i64.and
                    (i64.add (local.get $opening) (i64.const 0x0005_0505_0505_0505))
                    (i64.const 0x0020_2020_2020_2020))
                  (i64.const 0)))
              (i32.const 1))))
        (local.set $three (i32.wrap_i64 (local.get $opening)))
        (local.set $three
          (i32.or
            (i32.or
              (i32.shl (i32.and (local.get $three) (i32.const 0x1f)) (i32.const 10))
              (i32.and (i32.shr_u (local.get $three) (i32.const 3)) (i32.const 0x3e0)))
            (i32.and (i32.shr_u (local.get $three) (i32.const 16)) (i32.const 0x1f))))
        (br_if $next
          (i32.eqz
            (i32.and
              (i32.shr_u
                (i32.load8_u (i32.add (global.get $THREE) (i32.shr_u (local.get $three) (i32.const 3))))
                (i32.and (local.get $three) (i32.const 7)))
              (i32.const 1))))
        (i32.store (local.get $kept) (i32.and (local.get $beginning) (i32.const 0xffff)))
        (local.set $kept (i32.add (local.get $kept) (i32.const 4)))
        (br $next)))
    (i32.shr_u (i32.sub (local.get $kept) (global.get $BEGINNINGS)) (i32.const 2))))
