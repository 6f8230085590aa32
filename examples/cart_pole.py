"""A network that learns to balance a pole on a cart, by policy gradients: moves of good games become more likely."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from common import options

import tfpy as tf

GRAVITY, CART_MASS, POLE_MASS, HALF_LENGTH = 9.8, 1.0, 0.1, 0.5  # m/s², kg, kg, m
FORCE, SECONDS = 10.0, 0.02  # newtons to the left or the right, during one step
WIDTH, ANGLE = 2.4, np.radians(12)  # a game is lost beyond these


class Games(NamedTuple):
    """Games that were played in parallel, step by step.

    Attributes:
        states: position, speed, angle and angular speed before each move, (moves, 4).
        moves: 1 for a push to the right, 0 for one to the left, (moves,).
        returns: the return of each move: the number of following steps, discounted, (moves,).
        lengths: the length of each game, (games,).
    """

    states: np.ndarray
    moves: np.ndarray
    returns: np.ndarray
    lengths: np.ndarray


def pushed(states: np.ndarray, moves: np.ndarray) -> np.ndarray:
    """The states one step later, by the equations of Barto, Sutton and Anderson (1983) without friction."""
    _, speed, angle, turning = states.T
    force = np.where(moves, FORCE, -FORCE)
    mass = CART_MASS + POLE_MASS
    sine, cosine = np.sin(angle), np.cos(angle)
    push = (force + POLE_MASS * HALF_LENGTH * turning**2 * sine) / mass
    turn = (GRAVITY * sine - cosine * push) / (HALF_LENGTH * (4 / 3 - POLE_MASS * cosine**2 / mass))
    speed_up = push - POLE_MASS * HALF_LENGTH * turn * cosine / mass
    return states + SECONDS * np.stack([speed, speed_up, turning, turn], axis=1)


def play(policy: tf.Sequential, games: int, steps: int, rng: np.random.Generator) -> Games:
    """Play games with moves sampled from the policy's probabilities."""
    states = rng.uniform(-0.05, 0.05, (games, 4))
    alive = np.ones(games, bool)
    seen, moved, going = [], [], []
    for _ in range(steps):
        right = tf.sigmoid(policy.predict(tf.tensor(states, dtype="float32"))).numpy()[:, 0]
        moves = rng.random(games) < right
        seen.append(states)
        moved.append(moves)
        going.append(alive)
        states = pushed(states, moves)
        alive = alive & (abs(states[:, 0]) < WIDTH) & (abs(states[:, 2]) < ANGLE)
        if not alive.any():
            break
    played = np.stack(going)
    return Games(np.stack(seen)[played], np.stack(moved)[played], discounted(played)[played], played.sum(axis=0))


def discounted(played: np.ndarray, discount: float = 0.95) -> np.ndarray:
    """For each step of each game the discounted number of steps that follow it."""
    returns = played.astype(float)
    for step in reversed(range(len(returns) - 1)):
        returns[step] += discount * returns[step + 1]
    return returns


def main(arguments: Sequence[str] | None = None) -> float:
    given = options(__doc__, arguments)
    rng = np.random.default_rng(1)
    policy = tf.sequential()
    policy.add(tf.layers.dense(units=16, activation="tanh", input_shape=[4]))
    policy.add(tf.layers.dense(units=1))
    optimizer = tf.train.adam(0.02)
    for round_ in range(12 if given.quick else 40):
        games = play(policy, games=20, steps=500, rng=rng)
        states = tf.tensor(games.states, dtype="float32")
        moves = tf.tensor(games.moves[:, None], dtype="float32")
        better = (games.returns - games.returns.mean()) / games.returns.std()
        weights = tf.tensor(better[:, None], dtype="float32")

        def loss() -> tf.Tensor:
            """The moves as labels, weighted by how much better than average they were."""
            return tf.losses.sigmoid_cross_entropy(moves, policy.apply(states), weights)  # noqa: B023

        optimizer.minimize(loss)
        print(f"round {round_ + 1:2}: the pole stands for {games.lengths.mean():5.1f} steps")
    length = float(games.lengths.mean())
    print(f"at the end: {length * SECONDS:.1f} seconds")
    return length


if __name__ == "__main__":
    main()
