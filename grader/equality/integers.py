"""Whole numbers into primes, within a bound of work: what is too hard stays undecided rather than slow."""

from __future__ import annotations

from functools import lru_cache
from math import gcd, isqrt

from grader.effort import spend
from grader.equality.undecided import Undecided

_SIEVE_LIMIT = 2000
_WITNESSES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41)
_RHO_STEPS = 2000
_MAX_BITS = 512
_PRIME_SPEED, _STEP_SPEED = 90, 150  # bits**2 of a test, and bits of a step, that a unit of effort pays for


def _sieve(limit: int) -> tuple[int, ...]:
    flags = bytearray([1]) * limit
    for number in range(2, isqrt(limit) + 1):
        if flags[number]:
            flags[number * number :: number] = bytes(len(range(number * number, limit, number)))
    return tuple(number for number in range(2, limit) if flags[number])


_PRIMES = _sieve(_SIEVE_LIMIT)


def is_prime(number: int) -> bool:
    """Say whether a number is prime: certain below 3.3e24, and with an error far below 10**-20 above."""
    if number < _SIEVE_LIMIT**2:
        return number > 1 and all(number % prime for prime in _PRIMES if prime * prime <= number)
    odd, twos = number - 1, 0
    while not odd & 1:
        odd >>= 1
        twos += 1
    for witness in _WITNESSES:
        value = pow(witness, odd, number)
        if value in (1, number - 1):
            continue
        for _ in range(twos - 1):
            value = value * value % number
            if value == number - 1:
                break
        else:
            return False
    return True


def prime_factors(number: int) -> tuple[tuple[int, int], ...]:
    """Return the prime factors of a positive number with their powers. Raises ``Undecided`` where that is too hard."""
    if number.bit_length() > 4 * _MAX_BITS:
        raise Undecided
    factors = _prime_factors(number)
    if factors is None:
        raise Undecided
    return factors


@lru_cache(maxsize=1024)
def _prime_factors(number: int) -> tuple[tuple[int, int], ...] | None:
    factors: dict[int, int] = {}
    spend(1 + number.bit_length() // 16)
    for prime in _PRIMES:
        if prime * prime > number:
            break
        while not number % prime:
            number //= prime
            factors[prime] = factors.get(prime, 0) + 1
    pending = [number] if number > 1 else []
    while pending:
        rest = pending.pop()
        if rest.bit_length() > _MAX_BITS:
            return None
        spend(1 + rest.bit_length() ** 2 // _PRIME_SPEED)
        if is_prime(rest):
            factors[rest] = factors.get(rest, 0) + 1
            continue
        part = _split(rest)
        if part is None:
            return None
        pending += [part, rest // part]
    return tuple(sorted(factors.items()))


def _split(number: int) -> int | None:
    """Return a proper factor of a composite number without small factors; None where a bounded search finds none."""
    root = isqrt(number)
    if root * root == number:
        return root
    steps = 0
    for shift in (1, 3, 5):
        slow = fast = 2
        product = 1
        while steps < _RHO_STEPS:
            if not steps % 64:
                spend(64 + 64 * number.bit_length() // _STEP_SPEED)
            steps += 1
            slow = (slow * slow + shift) % number
            fast = (fast * fast + shift) % number
            fast = (fast * fast + shift) % number
            product = product * (slow - fast) % number
            if not steps % 64:
                found = gcd(product, number)
                if 1 < found < number:
                    return found
                if found == number:
                    break
                product = 1
    return None
