"""HEAR: sound in, words that were meant for the robot out. Knows no ROS.

audio (sources, 16 kHz mono blocks) -> vad (probability of speech) -> segmenter (utterances) -> transcribers (words) ->
gate (question, confirm, decline, stop, or rejected with the reason); listener runs them in two threads.
"""
